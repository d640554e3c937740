import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeySecretMemory

extension CodesignCommand {
    /// Signs the program, or makes a detached signature for it.
    func signed() throws(CommandFailure) -> Report {
        let inspected = try InspectedProgram(program)
        if !detached, inspected.image.noteRanges.isEmpty { throw CommandFailure(.noPlace, program: program) }
        let digest = try explaining { () throws(SignatureFailure) in try inspected.image.digest() }
        let place = try newPlace(digest: digest)
        if !force { try refuseSecondSigning(inspected.image, place) }

        let teamKey = try teamKey()
        let wanted = try SigningEntitlements(
            file: entitlementsFile(), team: teamKey.publicKey.identifier, identifier: identifier ?? "",
            aliases: alias.compactMap { TeamAlias($0) })
        try refuseContradiction(inspected.image, digest: digest, place, application: wanted.application)
        let signature = try explaining { () throws(SignatureFailure) in
            let statement = try wanted.statement(digest: digest, date: Date().timeIntervalSinceReferenceDate)
            return try teamKey.sign(statement)
        }
        switch place {
        case .embedded:
            try explaining { () throws(SignatureFailure) in
                try SignatureWriter.write(signature, intoFileAt: inspected.path)
            }
        case .detached(let path):
            if output == nil { try DetachedSignatures.prepareDirectory(of: DeviceAccess.directory(common)) }
            try DetachedSignatures.write(signature, to: path)
        }
        return report(of: FoundSignature(signature: signature, place: place), did: "signed")
    }

    /// The key that signs: of the file that is named, else the team's own.
    private func teamKey() throws(CommandFailure) -> TeamKey {
        let named = team.flatMap { TeamIdentifier($0) }
        if let team, named == nil {
            throw CommandFailure(
                .usage, "\(team) is not a team identifier.", why: "It needs ten capital letters and digits.",
                advice: "`latchkey team create` makes one and prints it.")
        }
        let path: String
        if let key {
            path = key
        } else {
            path = try TeamKeyStore.ofThisUser().keyPath(required(named))
        }
        let text = try TeamKeyStore.read(path)
        let key = try Self.open(text, path: path, passphrase: PassphraseSource(descriptor: passphraseFd))
        guard named == nil || named == key.publicKey.identifier else {
            throw .keyFile(
                path, why: "It is the key of team \(key.publicKey.identifier), not of \(named?.text ?? "").",
                advice: "Name the team whose key it is, or that team's key.")
        }
        return key
    }

    /// Without a key file there is a team: the arguments were checked.
    private func required(_ team: TeamIdentifier?) throws(CommandFailure) -> TeamIdentifier {
        guard let team else { throw CommandFailure(.usage, "Say who signs: --team or --key.") }
        return team
    }

    private static func open(
        _ text: SecretBox, path: String, passphrase: PassphraseSource
    ) throws(CommandFailure) -> TeamKey {
        do {
            return try TeamKey(pem: text, passphrase: nil)
        } catch {
            guard error == .keyNeedsPassphrase else { throw .keyFile(path, why: error.reason, advice: error.advice) }
        }
        let secret = try passphrase.passphrase(for: path)
        do {
            return try TeamKey(pem: text, passphrase: secret)
        } catch {
            guard error == .keyPassphraseRefused else { throw .keyFile(path, why: error.reason, advice: error.advice) }
            throw CommandFailure(
                .wrongPassphrase, "The team's key in \(path) does not open.", why: "This is not its passphrase.",
                advice: "Try again. A forgotten passphrase cannot be recovered; then make a new team.")
        }
    }

    private func entitlementsFile() throws(CommandFailure) -> [UInt8]? {
        guard let path = entitlements else { return nil }
        let descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(.inputUnreadable, "\(path) cannot be read.", why: SystemError.text(errno))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // One byte more than the limit shows that a file is too long.
        while bytes.count <= PropertyListFile.byteLimit {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(.inputUnreadable, "\(path) cannot be read.", why: SystemError.text(errno))
            }
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    private func newPlace(digest: [UInt8]) throws(CommandFailure) -> FoundSignature.Place {
        guard detached else { return .embedded }
        if let output { return .detached(path: output) }
        let directory = DetachedSignatures.directory(of: try DeviceAccess.directory(common))
        return .detached(path: DetachedSignatures.path(in: directory, digest: digest))
    }

    /// Refuses a program that is signed already; `--force` allows it.
    private func refuseSecondSigning(
        _ image: ExecutableImage, _ place: FoundSignature.Place
    ) throws(CommandFailure) {
        let isSigned: Bool
        var by = ""
        switch place {
        case .detached(let path): isSigned = unsafe access(path, F_OK) == 0
        case .embedded:
            do {
                let existing = try image.embeddedSignature()
                isSigned = existing != nil
                by = existing.map { " as \($0.statement.application)" } ?? ""
            } catch {
                // Damaged, but something is there.
                isSigned = true
            }
        }
        guard !isSigned else {
            throw CommandFailure(
                .alreadySigned, "\(program) is signed already\(by).", advice: "--force signs it again.")
        }
    }

    /// A signature in the program and one beside it must speak of the same application, or neither counts.
    private func refuseContradiction(
        _ image: ExecutableImage, digest: [UInt8], _ place: FoundSignature.Place, application: String
    ) throws(CommandFailure) {
        var others: [(FoundSignature.Place, String?)] = []
        if place != .embedded {
            let embedded = Result { () throws(SignatureFailure) in try image.embeddedSignature() }
            if case .success(nil) = embedded {
            } else {
                others.append((.embedded, (try? embedded.get())?.statement.application))
            }
        }
        for directory in try signatureDirectories() {
            let path = DetachedSignatures.path(in: directory, digest: digest)
            guard place != .detached(path: path), unsafe access(path, F_OK) == 0 else { continue }
            let signature = try? DetachedSignatures.read(path)
            others.append((.detached(path: path), signature?.statement.application))
        }
        guard let other = others.first(where: { $0.1 != application }) else { return }
        throw CommandFailure(
            .severalSignatures, "\(program) was not signed.",
            why: "There is another signature \(Self.text(other.0)), for \(other.1 ?? "nothing that can be read"). A "
                + "program with two signatures that differ gets no groups.",
            advice: "`latchkey codesign --remove` removes both.")
    }
}
