/**
 * What layers and collectives take, as measured on a machine ({@code tandem profile}, {@code
 * tools/profile_torch.py}) or estimated from a description of a device. A profile is a JSON file
 * that other machines can read; times are seconds:
 *
 * <pre>{@code
 * {"version": 1, "device": "...", "processors": 2, "ranks": 2, "threads": 1, "memoryBytes": 8000000000, "type": "float32",
 *  "made": "2026-01-31",
 *  "layers": [{"name": "conv1", "kind": "convolution", "signature": "...",
 *              "inputs": [[3, 32, 32]], "output": [32, 32, 32], "parameters": 2432,
 *              "operations": 4915200,
 *              "times": [{"samples": 8, "forward": 1e-3, "backwardData": 0,
 *                         "backwardWeights": 2e-3, "spread": 0.03}]}],
 *  "updates": [{"stateValues": 1, "secondsPerByte": 8e-10, "secondsPerTensor": 2e-5}],
 *  "copySeconds": 5e-6, "copySecondsPerByte": 4e-10,
 *  "perPass": {"seconds": 3e-4, "perLayer": 2e-6, "waiting": 0.05,
 *              "waitingAtExchanges": 0.1}, "gamma": 0.4,
 *  "startUp": [{"layers": 400, "seconds": 1.2}],
 *  "collectives": [{"operation": "allreduce", "ranks": 2, "flows": 1, "bytes": 4,
 *                   "seconds": 2e-5, "spread": 0.3}]}
 * }</pre>
 *
 * <p>May be left out: {@code signature} (then a layer is known by its kind, shapes and number of
 * parameters), {@code operations} (told from these, too), {@code flows}, {@code copySeconds},
 * {@code startUp}, * {@code processors}, {@code memoryBytes} and {@code made}. Kinds of layers are
 * those of networks in YAML; inputs and outputs are of one sample; operations are {@code
 * allreduce}, {@code allgather}, {@code reduce-scatter}, {@code exchange} and {@code send}. Unknown
 * keys are refused.
 */
package dev.tandem.oracle.profile;
