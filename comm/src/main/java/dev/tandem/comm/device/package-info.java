/**
 * Sums over ranks of what lies in the memory of devices. {@link
 * dev.tandem.comm.device.DeviceMemory} is what a compute engine implements for its devices; {@link
 * dev.tandem.comm.device.DeviceSum} moves parts of it between ranks while the devices compute.
 * Nothing here knows a kind of device.
 */
package dev.tandem.comm.device;
