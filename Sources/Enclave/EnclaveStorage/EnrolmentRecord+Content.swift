import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeySecretMemory

extension EnrolmentRecord {
    private static let digestByteCount = 32

    /// Nothing enrolled: 0 (1). Else: 1 (1) || enrolment set (16) || SHA-256 of the sensor's digest (32)
    var content: SecretBox {
        SecretBox(copying: enrolment.map { [1] + $0.set.bytes + $0.digest } ?? [0])
    }

    init?(content: SecretBox) {
        // Neither set nor digest is secret.
        let content = unsafe content.withBytes { unsafe Array($0) }
        switch content.first {
        case 0 where content.count == 1:
            self.init(enrolment: nil)
        case 1 where content.count == 1 + EnrolmentSet.byteCount + Self.digestByteCount:
            guard let set = EnrolmentSet(Array(content[1...EnrolmentSet.byteCount])) else { return nil }
            self.init(enrolment: Enrolment(digest: Array(content.suffix(Self.digestByteCount)), set: set))
        default:
            return nil
        }
    }
}
