import Glibc
package import LatchkeyCodeSignature

/// A program's file as the tool looks at it: open, resolved, and read as far as signatures go.
package final class InspectedProgram {
    /// The name that the user gave.
    package let name: String
    /// Without links.
    package let path: String
    package let image: ExecutableImage
    private let descriptor: Int32

    /// Refuses files that cannot carry entitlements: scripts, interpreters, and files that are not programs.
    package init(_ name: String) throws(CommandFailure) {
        guard let resolved = unsafe realpath(name, nil) else {
            throw CommandFailure(.inputUnreadable, "\(name) cannot be read.", why: SystemError.text(errno))
        }
        defer { unsafe free(resolved) }
        let path = unsafe String(cString: resolved)
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw CommandFailure(.inputUnreadable, "\(name) cannot be read.", why: SystemError.text(errno))
        }
        do throws(SignatureFailure) {
            let image = try ExecutableImage(descriptor: descriptor)
            try Self.check(image, path: path, descriptor: descriptor)
            self.name = name
            self.path = path
            self.image = image
            self.descriptor = descriptor
        } catch {
            close(descriptor)
            throw CommandFailure(error, program: name)
        }
    }

    deinit {
        close(descriptor)
    }

    private static func check(
        _ image: ExecutableImage, path: String, descriptor: Int32
    ) throws(SignatureFailure) {
        if image.kind == .script { throw .script }
        guard image.kind == .elf else { throw .malformedProgram("it does not begin as programs for Linux do") }
        if Interpreters.contains(name: path) { throw .interpreter(name: path) }
        if let original = InstalledInterpreters.original(of: descriptor) {
            throw .interpreter(name: "\(path) (a copy of \(original))")
        }
    }
}

/// The interpreters of this machine: a copy under another name is one as well.
///
/// This catches mistakes. A signer can always sign a program that runs any code it is given.
enum InstalledInterpreters {
    private static let directories = ["/usr/bin", "/usr/local/bin", "/bin", "/usr/sbin"]

    /// The interpreter with the very content of an open file.
    static func original(of descriptor: Int32) -> String? {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { return nil }
        for directory in directories {
            guard let stream = unsafe opendir(directory) else { continue }
            defer { unsafe closedir(stream) }
            while let entry = unsafe readdir(stream) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                guard Interpreters.contains(name: name) else { continue }
                let path = directory + "/" + name
                if hasSameContent(descriptor, path, byteCount: information.st_size) { return path }
            }
        }
        return nil
    }

    private static func hasSameContent(_ descriptor: Int32, _ path: String, byteCount: off_t) -> Bool {
        let other = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard other >= 0 else { return false }
        defer { close(other) }
        var information = stat()
        guard unsafe fstat(other, &information) == 0, information.st_size == byteCount,
            information.st_mode & S_IFMT == S_IFREG
        else { return false }
        var (left, right) = ([UInt8](repeating: 0, count: 1 << 16), [UInt8](repeating: 0, count: 1 << 16))
        var offset: off_t = 0
        while offset < byteCount {
            let (count, otherCount) = unsafe (
                pread(descriptor, &left, left.count, offset), pread(other, &right, right.count, offset)
            )
            guard count > 0, count == otherCount, left[..<count] == right[..<count] else { return false }
            offset += off_t(count)
        }
        return true
    }
}
