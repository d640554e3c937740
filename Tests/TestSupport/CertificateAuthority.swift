package import Foundation

/// Certificates, keys and PKCS#12 files as the openssl command makes them, in a directory of its own.
package final class CertificateAuthority: Sendable {
    /// A certificate with its private key.
    package struct Issued: Sendable {
        package let name: String
        package let certificate: Data
        /// Paths of PEM files.
        package let certificateFile: String
        package let keyFile: String

        package init(name: String, certificate: Data, certificateFile: String, keyFile: String) {
            self.name = name
            self.certificate = certificate
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    package enum Algorithm: Sendable {
        case p256
        case rsa2048

        fileprivate var arguments: [String] {
            switch self {
            case .p256: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .rsa2048: ["-newkey", "rsa:2048"]
            }
        }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    package let directory: URL

    package init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-ca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    /// An authority that signs itself.
    /// - Parameter subject: in openssl's form, for instance `/O=Example/CN=Root`.
    package func root(
        _ name: String, subject: String, _ algorithm: Algorithm = .p256, options: [String] = []
    ) throws -> Issued {
        try openssl(
            ["req", "-x509", "-nodes", "-days", "30", "-subj", subject, "-keyout", file(name, "key")]
                + algorithm.arguments + ["-out", file(name, "pem"), "-addext", "keyUsage=critical,keyCertSign,cRLSign"]
                + options)
        return try issued(name)
    }

    /// - Parameter extensions: lines of openssl's extension files, for instance `subjectAltName=DNS:example.com`.
    package func issue(
        _ name: String, subject: String, by issuer: Issued, extensions: [String] = [], _ algorithm: Algorithm = .p256,
        options: [String] = []
    ) throws -> Issued {
        try openssl(
            ["req", "-new", "-nodes", "-subj", subject, "-keyout", file(name, "key"), "-out", file(name, "csr")]
                + algorithm.arguments)
        try Data((extensions + [""]).joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file(name, "ext")))
        let signing = [
            "x509", "-req", "-in", file(name, "csr"), "-CA", issuer.certificateFile, "-CAkey", issuer.keyFile, "-days",
            "20", "-set_serial", "0x\(String(UInt32.random(in: 1 << 24..<1 << 30), radix: 16))", "-extfile",
            file(name, "ext"), "-out", file(name, "pem"),
        ]
        try openssl(signing + options)
        return try issued(name)
    }

    /// A PKCS#12 file of an identity and its issuers.
    package func pkcs12(
        _ identity: Issued, chain: [Issued] = [], passphrase: String, options: [String] = []
    ) throws -> Data {
        let path = file(identity.name, "p12")
        var arguments = [
            "pkcs12", "-export", "-in", identity.certificateFile, "-inkey", identity.keyFile, "-out", path, "-passout",
            "pass:\(passphrase)", "-name", identity.name,
        ]
        if !chain.isEmpty {
            let all = try chain.map { try String(contentsOfFile: $0.certificateFile, encoding: .utf8) }.joined()
            try Data(all.utf8).write(to: URL(fileURLWithPath: file(identity.name, "chain")))
            arguments += ["-certfile", file(identity.name, "chain")]
        }
        try openssl(arguments + options)
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// Runs openssl; what it says goes into the failure.
    @discardableResult
    package func openssl(_ arguments: [String]) throws -> Data {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        program.arguments = arguments
        program.currentDirectoryURL = directory
        let (output, complaints) = (Pipe(), Pipe())
        program.standardInput = FileHandle.nullDevice
        program.standardOutput = output
        program.standardError = complaints
        do {
            try program.run()
        } catch {
            throw Failure(description: "openssl is missing (apt-get install openssl): \(error)")
        }
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        let said = complaints.fileHandleForReading.readDataToEndOfFile()
        program.waitUntilExit()
        guard program.terminationStatus == 0 else {
            throw Failure(
                description: "openssl \(arguments.joined(separator: " ")): \(String(decoding: said, as: UTF8.self))")
        }
        return answer
    }

    private func issued(_ name: String) throws -> Issued {
        try openssl(["x509", "-in", file(name, "pem"), "-outform", "DER", "-out", file(name, "der")])
        return Issued(
            name: name, certificate: try Data(contentsOf: URL(fileURLWithPath: file(name, "der"))),
            certificateFile: file(name, "pem"), keyFile: file(name, "key"))
    }

    private func file(_ name: String, _ type: String) -> String {
        directory.appendingPathComponent("\(name).\(type)").path
    }
}
