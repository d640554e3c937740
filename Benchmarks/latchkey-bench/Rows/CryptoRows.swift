import Foundation
import Glibc

/// `CommonCrypto`, `RNCryptor` and `latchkey encrypt`, all in one thread.
enum CryptoRows {
    private static let byteCount = 16 << 10
    private static let mebibytes = 1024

    static func aesCBC(_ session: Session) throws -> Finding {
        try againstSpeed(session, "cc-aes-cbc", ["-evp", "aes-256-cbc"])
    }

    static func sha256(_ session: Session) throws -> Finding {
        try againstSpeed(session, "cc-sha256", ["-evp", "sha256"])
    }

    static func hmac(_ session: Session) throws -> Finding {
        try againstSpeed(session, "cc-hmac", ["-hmac", "sha256"])
    }

    private static func againstSpeed(_ session: Session, _ name: String, _ algorithm: [String]) throws -> Finding {
        let processor = session.options.pinning.clients
        return try withClient(of: session) { client in
            let count = 40_000
            try session.profile { _ = try client.seconds("\(name) \(count) \(byteCount)") }
            let mebibyte = Double(1 << 20)
            let pairs = try session.pairs(
                value: { Double(count * byteCount) / mebibyte / (try client.seconds("\(name) \(count) \(byteCount)")) },
                limit: {
                    try OpenSSLSpeed.bytesPerSecond(algorithm, byteCount: byteCount, processor: processor) / mebibyte
                })
            return Finding(
                name: name, pairs: pairs, unit: "MiB/s", against: "openssl speed \(algorithm.joined(separator: " "))",
                demand: .atLeast(0.95))
        }
    }

    static func shortMessages(_ session: Session) throws -> Finding {
        try withClient(of: session) { client in
            let count = 500_000
            try session.profile { _ = try client.seconds("cc-aes-cbc \(count) 16") }
            let pairs = try session.pairs(
                value: { Double(count) / (try client.seconds("cc-aes-cbc \(count) 16")) },
                limit: { Double(count) / (try client.seconds("bare-aes-cbc \(count) 16")) })
            return Finding(
                name: "cc-aes-cbc-16", pairs: pairs, unit: "messages/s", against: "libcrypto called from C",
                demand: .atLeast(0.8))
        }
    }

    static func encrypt(_ session: Session) throws -> Finding {
        try againstLibcrypto(session, "rncryptor-encrypt", "seal")
    }

    static func decrypt(_ session: Session) throws -> Finding {
        try againstLibcrypto(session, "rncryptor-decrypt", "open")
    }

    private static func againstLibcrypto(_ session: Session, _ name: String, _ command: String) throws -> Finding {
        try withClient(of: session) { client in
            try session.profile { _ = try client.seconds("\(command) \(mebibytes)") }
            let pairs = try session.pairs(
                value: { Double(mebibytes) / (try client.seconds("\(command) \(mebibytes)")) },
                limit: { Double(mebibytes) / (try client.seconds("bare-\(command) \(mebibytes)")) })
            return Finding(
                name: name, pairs: pairs, unit: "MiB/s",
                against: "AES-256-CBC, then HMAC-SHA256 by libcrypto, in pieces of the same size",
                demand: .atLeast(0.9))
        }
    }

    static func python(_ session: Session) throws -> Finding {
        let byteCount = 8 << 20
        return try withClient(of: session) { client in
            let pairs = try session.pairs(
                value: { 1 / (try client.seconds("password \(byteCount)")) },
                limit: {
                    1 / (try PythonRNCryptor.seconds(byteCount: byteCount, processor: session.options.pinning.clients))
                })
            return Finding(
                name: "rncryptor-python", pairs: pairs, unit: "round trips of 8 MiB/s",
                against: "Python's rncryptor with pycryptodome", demand: .atLeast(3))
        }
    }

    /// The largest resident memory of the program, as it is installed, that encrypts 10 GiB.
    static func memory(_ session: Session) throws -> Finding {
        let limitMebibytes = 32.0
        let input = session.scratch + "/10-gib"
        guard FileManager.default.createFile(atPath: input, contents: nil), truncate(input, 10 << 30) == 0 else {
            throw Failure("cannot make a file of 10 GiB in \(session.scratch)")
        }
        defer { try? FileManager.default.removeItem(atPath: input) }
        let programs = FileManager.default.currentDirectoryPath + "/.build/programs"
        let mebibytes = try PeakMemory.mebibytes(
            of: #"exec "$1/latchkey" encrypt --password-fd 3 --output - "$2" 3<"$3" >/dev/null"#,
            arguments: [programs, input, try passwordFile(session)])
        return Finding(
            name: "encrypt-memory", pairs: [(mebibytes, limitMebibytes)], unit: "MiB",
            against: "\(Report.number(limitMebibytes)) MiB", demand: .atMost(1),
            notes: ["10 GiB, to the null device"])
    }

    private static func passwordFile(_ session: Session) throws -> String {
        let path = session.scratch + "/password"
        try Data("correct horse\n".utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static func withClient<R>(of session: Session, _ body: (Worker) throws -> R) throws -> R {
        let client = try Worker(role: ["crypto"], processor: session.options.pinning.clients)
        defer { client.stop() }
        return try body(client)
    }
}
