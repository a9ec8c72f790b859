package dev.tandem.oracle.model;

/** ResNet-50 in PyTorch's layers, and its export to a file as users do it. */
final class TorchResNet {

  private TorchResNet() {}

  static final String SCRIPT =
      """
      import torch.nn as nn

      class Bottleneck(nn.Module):
          def __init__(self, inputs, width, stride):
              super().__init__()
              self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
              self.bn1 = nn.BatchNorm2d(width)
              self.conv2 = nn.Conv2d(width, width, 3, stride=stride, padding=1, bias=False)
              self.bn2 = nn.BatchNorm2d(width)
              self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
              self.bn3 = nn.BatchNorm2d(4 * width)
              self.relu = nn.ReLU(inplace=True)
              self.downsample = None
              if stride != 1 or inputs != 4 * width:
                  self.downsample = nn.Sequential(
                      nn.Conv2d(inputs, 4 * width, 1, stride=stride, bias=False),
                      nn.BatchNorm2d(4 * width))
          def forward(self, x):
              y = self.relu(self.bn1(self.conv1(x)))
              y = self.relu(self.bn2(self.conv2(y)))
              y = self.bn3(self.conv3(y))
              y += x if self.downsample is None else self.downsample(x)
              return self.relu(y)

      class ResNet50(nn.Module):
          def __init__(self):
              super().__init__()
              self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
              self.bn1 = nn.BatchNorm2d(64)
              self.relu = nn.ReLU(inplace=True)
              self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
              blocks, inputs = [], 64
              for stage, (count, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
                  for block in range(count):
                      stride = 2 if stage > 0 and block == 0 else 1
                      blocks.append(Bottleneck(inputs, width, stride))
                      inputs = 4 * width
              self.blocks = nn.Sequential(*blocks)
              self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
              self.fc = nn.Linear(2048, 1000)
          def forward(self, x):
              x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
              return self.fc(torch.flatten(self.avgpool(self.blocks(x)), 1))

      model = ResNet50()
      x = torch.randn(2, 3, 224, 224)
      if sys.argv[2] == 'inference':  # as by default: normalisations are folded into convolutions
          torch.onnx.export(model, x, sys.argv[1], input_names=['image'],
                            dynamic_axes={'image': {0: 'batch_size'}})
      else:  # with normalisations; the size of images is open, too
          torch.onnx.export(model.train(), x, sys.argv[1], input_names=['image'],
                            training=torch.onnx.TrainingMode.TRAINING,
                            dynamic_axes={'image': {0: 'batch_size', 2: 'height', 3: 'width'}})
      """;
}
