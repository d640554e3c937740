import Glibc
import Synchronization

/// The file into which the devices of a run of `latchkey swift` write the kinds of their findings when they end, one in
/// a line (`Docs/Manual/Kit.md`).
enum FindingFile {
    private static let variable = "LATCHKEY_FINDINGS"

    /// Nil without a file that the environment names.
    static let path: String? = unsafe getenv(variable).map { unsafe String(cString: $0) }.flatMap {
        $0.hasPrefix("/") ? $0 : nil
    }

    /// Appends the kinds in one piece. A file that cannot be written has no effect on the test.
    static func append(_ kinds: [Finding.Kind], to path: String) {
        guard !kinds.isEmpty else { return }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let bytes = Array(kinds.map { $0.rawValue + "\n" }.joined().utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
    }
}

extension VirtualDevice {
    /// Writes the findings of this device where a run collects them, once. Those about CommonCrypto are in its own log if
    /// there is one.
    func reportFindings() {
        guard let path = FindingFile.path, !hasReportedFindings.exchange(true, ordering: .relaxed) else { return }
        let isInLog = unsafe getenv("LATCHKEY_CRYPTO_FINDINGS") != nil
        let crypto = isInLog ? [] : calls.crypto.observations
        FindingFile.append(
            (calls.observations + crypto).map(\.flaw.kind) + storedFileFindings.map(\.kind), to: path)
    }
}
