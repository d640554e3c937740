import Glibc

extension ProcessRecord {
    /// Reads the record of process `pid` as it is now.
    init(ofProcess pid: Int32) throws(IdentityFailure) {
        let descriptor = unsafe open("/proc/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .processEnded(pid: pid) }
        defer { close(descriptor) }
        var text = [UInt8](repeating: 0, count: 2048)
        let count = unsafe text.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        // Reading a process that ends after the open gives ESRCH.
        guard count > 0 else { throw .processEnded(pid: pid) }
        guard let record = ProcessRecord(statText: Array(text.prefix(count))) else {
            throw .badProcessRecord(pid: pid)
        }
        self = record
    }
}
