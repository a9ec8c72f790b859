package dev.tandem.nn.onnx;

/** Models of PyTorch's layers: exports each to a folder, with samples and its answers. */
final class TorchModels {

  private TorchModels() {}

  static final String SCRIPT =
      """
      import torch.nn as nn
      torch.manual_seed(5)

      class Plain(nn.Module):
          def __init__(self):
              super().__init__()
              self.features = nn.Sequential(
                  nn.Conv2d(3, 8, 5, stride=2, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
                  nn.Conv2d(8, 12, 3, padding=1, groups=4, dilation=1), nn.LeakyReLU(0.2),
                  nn.AvgPool2d(2, padding=1), nn.Tanh(), nn.Dropout(0.3))
              self.classifier = nn.Linear(12 * 2 * 2, 7)
          def forward(self, x):
              x = self.features(x)
              return self.classifier(x.view(x.size(0), -1))

      class Residual(nn.Module):
          def __init__(self):
              super().__init__()
              self.stem = nn.Conv2d(3, 8, 3, padding=1)
              self.left = nn.Conv2d(8, 8, 1)
              self.right = nn.Conv2d(8, 8, 3, padding=1)
              self.pool = nn.AdaptiveAvgPool2d(1)
              self.fc = nn.Linear(16, 5)
          def forward(self, x):
              x = torch.relu(self.stem(x))
              y = torch.relu(self.left(x) + self.right(x))
              y = torch.cat([x, y], 1)
              return torch.softmax(self.fc(torch.flatten(self.pool(y), 1)), 1)

      class Norms(nn.Module):
          def __init__(self):
              super().__init__()
              self.conv = nn.Conv2d(3, 8, 3, bias=False)
              self.gn = nn.GroupNorm(2, 8)
              self.bn = nn.BatchNorm2d(8)
              self.lin = nn.Linear(8, 6)
              self.ln = nn.LayerNorm(6)
              self.out = nn.Linear(6, 4)
              for p in (self.gn, self.bn, self.ln):
                  nn.init.uniform_(p.weight, 0.5, 1.5)
                  nn.init.uniform_(p.bias, -1, 1)
              nn.init.uniform_(self.bn.running_mean, -1, 1)
              nn.init.uniform_(self.bn.running_var, 0.5, 2)
          def forward(self, x):
              x = self.bn(nn.functional.silu(self.gn(self.conv(x))))
              x = nn.functional.gelu(self.ln(self.lin(x.mean([2, 3]))))
              return self.out(x)

      class Volumes(nn.Module):
          def __init__(self):
              super().__init__()
              self.conv = nn.Conv3d(2, 4, 3, padding=1)
              self.bn = nn.BatchNorm3d(4)
              self.fc = nn.Linear(4 * 2 * 3 * 2, 3)
          def forward(self, x):
              x = nn.functional.max_pool3d(torch.sigmoid(self.bn(self.conv(x))), 2)
              return self.fc(x.reshape(-1, 4 * 2 * 3 * 2))

      class Rows(nn.Module):
          def __init__(self):
              super().__init__()
              self.first = nn.Linear(9, 16, bias=False)
              self.norm = nn.BatchNorm1d(16)
              self.last = nn.Linear(16, 4)
          def forward(self, x):
              return self.last(torch.relu(self.norm(self.first(x))))

      class Sequences(nn.Module):
          def __init__(self):
              super().__init__()
              self.patch = nn.Conv2d(1, 6, 2, stride=2)
              self.places = nn.Parameter(torch.randn(1, 9, 6))
              self.norm = nn.LayerNorm(6)
              self.up = nn.Linear(6, 12)
              self.down = nn.Linear(12, 6)
              self.out = nn.Linear(6, 4)
          def forward(self, x):
              x = self.patch(x).flatten(2).transpose(1, 2) + self.places
              x = x + self.down(nn.functional.gelu(self.up(self.norm(x))))
              return self.out(x.mean(1))

      models = {
          'plain': (Plain, (3, 16, 16)), 'residual': (Residual, (3, 8, 8)),
          'norms': (Norms, (3, 8, 8)), 'volumes': (Volumes, (2, 4, 6, 5)), 'rows': (Rows, (9,)),
          'sequences': (Sequences, (1, 6, 6))}
      for name, (model, shape) in models.items():
          model, scores = model().eval(), {}
          x = torch.randn(3, *shape)
          if name == 'residual':  # the answers before the softmax
              hook = model.fc.register_forward_hook(lambda m, i, o: scores.update(y=o))
          with torch.no_grad():
              y = model(x)
              y = scores.get('y', y)
          if name == 'residual':
              hook.remove()
          # The size of the batch stays open but in one model, as by default.
          dynamic = {'x': {0: 'n'}, 'y': {0: 'n'}} if name != 'volumes' else None
          torch.onnx.export(model, x, sys.argv[1] + '/' + name + '.onnx', input_names=['x'],
                            output_names=['y'], dynamic_axes=dynamic, opset_version=16)
          with open(sys.argv[1] + '/' + name + '.bin', 'wb') as out:
              out.write(x.numpy().tobytes())
              out.write(y.numpy().tobytes())
      print(' '.join(models))
      """;
}
