import LatchkeyKeychainMessages

/// The programs that may change a device while it has no passcode, when no program can prove to be the owner's.
package enum UnprovenOwner: Sendable {
    /// Every program that may connect: such a program could change the device's files as well.
    case anyProgram
    /// Only root: the owner's programs cannot access the files.
    /// - Parameter tool: the command by which root calls the command line tool for this device.
    case root(tool: String)

    func includes(_ caller: Caller) -> Bool {
        switch self {
        case .anyProgram: true
        case .root: caller.isRoot
        }
    }
}

extension Caller {
    /// True if the program runs as root, according to the kernel.
    var isRoot: Bool { process?.userID == 0 }
}
