import Foundation
import Testing

/// The `openssl` of the machine: the other side of everything that keys and certificates do.
struct OpenSSL {
    /// Where its files are, and those of the test.
    let directory: String

    init(beside device: ThrowawayDevice) throws {
        directory = device.directory + "/files"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { directory + "/" + name }

    /// Runs it in its directory with arguments separated by blanks.
    @discardableResult
    func callAsFunction(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Ending {
        let ending = try run(
            URL(filePath: "/bin/sh"),
            ["-c", "cd \"$1\" && shift && exec openssl \"$@\"", "sh", directory]
                + line.split(separator: " ").map(String.init))
        #expect(ending.status == 0, "openssl \(line): \(ending.errors)", sourceLocation: sourceLocation)
        return ending
    }

    /// The same, where it may refuse.
    func says(_ line: String) throws -> Bool {
        try run(
            URL(filePath: "/bin/sh"),
            ["-c", "cd \"$1\" && shift && exec openssl \"$@\"", "sh", directory]
                + line.split(separator: " ").map(String.init)
        ).status == 0
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path(name))))
    }

    /// An authority, and a certificate of it for the key in `NAME.key`, in `NAME.pem`; all valid for a year.
    func makeIdentity(_ name: String, keyOptions: String = "ec -pkeyopt ec_paramgen_curve:P-256") throws {
        if !FileManager.default.fileExists(atPath: path("ca.pem")) {
            try self("genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256 -out ca.key")
            try self("req -new -x509 -key ca.key -subj /CN=Example-Authority -days 365 -out ca.pem")
        }
        try self("genpkey -algorithm \(keyOptions) -out \(name).key")
        try self(
            "req -new -key \(name).key -subj /CN=\(name)/emailAddress=\(name)@example.org -out \(name).csr")
        try self("x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 -out \(name).pem")
    }
}
