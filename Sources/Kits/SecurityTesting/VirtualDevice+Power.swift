extension VirtualDevice {
    /// Switches the device off. Its files stay in ``directory``, where a test may look at them, copy or damage them.
    /// Calls of its apps are refused with -25291 until ``start()``. Processes are killed, as by a power cut. A device
    /// that is off stays so.
    public func stop() throws(VirtualDeviceError) {
        try stage.stop()
        forgetRemoteChanges()
    }

    /// Switches the device on again, on its files. As after ``reboot()``, one with a passcode is locked before its first
    /// unlock. A device that is on stays so.
    /// - Throws: ``VirtualDeviceError`` if it does not start on these files; it then stays off.
    public func start() throws(VirtualDeviceError) {
        try stage.start()
    }

    /// True while the device is switched on.
    public var isRunning: Bool { stage.isRunning }
}
