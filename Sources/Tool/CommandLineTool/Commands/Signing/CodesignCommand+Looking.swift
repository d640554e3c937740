import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyEncoding
import LatchkeyPlainText

extension CodesignCommand {
    /// Checks the signature. Each device decides for itself which teams it trusts.
    func verified() throws(CommandFailure) -> Report {
        let inspected = try InspectedProgram(program)
        let found = try found(inspected)
        try explaining { () throws(SignatureFailure) in
            try found.signature.check(digest: inspected.image.digest())
        }
        return report(of: found, did: "valid")
    }

    /// Shows the signature as it is, right or wrong; `--verify` checks it.
    func displayed() throws(CommandFailure) -> Report {
        let inspected = try InspectedProgram(program)
        let found = try found(inspected)
        guard entitlements != nil else { return report(of: found, did: nil) }
        let dictionary = found.signature.statement.entitlements.dictionary
        return Report(
            pieces: [.text(PropertyListFile.xml(dictionary))],
            json: .object(
                dictionary.sorted { $0.key < $1.key }.map { ($0.key, ItemListing(secrets: []).json($0.value)) }))
    }

    /// Removes the signature in the program and the one that this device has beside it.
    func removed() throws(CommandFailure) -> Report {
        let inspected = try InspectedProgram(program)
        let digest = try explaining { () throws(SignatureFailure) in try inspected.image.digest() }
        let isEmbedded: Bool
        do {
            isEmbedded = try inspected.image.embeddedSignature() != nil
        } catch {
            // Damaged: to be removed all the same.
            isEmbedded = true
        }
        let directory = DetachedSignatures.directory(of: try DeviceAccess.directory(common))
        let isDetached = try DetachedSignatures.remove(DetachedSignatures.path(in: directory, digest: digest))
        guard isEmbedded || isDetached else { throw .notSigned(program) }
        if isEmbedded {
            try explaining { () throws(SignatureFailure) in
                try SignatureWriter.write(nil, intoFileAt: inspected.path)
            }
        }
        return .done("\(program): the signature is removed. The program has a private group now, as unsigned ones do.")
    }

    private func found(_ inspected: InspectedProgram) throws(CommandFailure) -> FoundSignature {
        let directories = try signatureDirectories()
        let found = try explaining { () throws(SignatureFailure) in
            try FoundSignature.of(inspected.image, digest: inspected.image.digest(), directories: directories)
        }
        guard let found else { throw .notSigned(program) }
        return found
    }

    /// Where detached signatures are looked for.
    func signatureDirectories() throws(CommandFailure) -> [String] {
        [DetachedSignatures.directory(of: try DeviceAccess.directory(common)), SignatureFile.systemDirectory]
    }

    /// Runs something that fails for reasons of signatures.
    @discardableResult
    func explaining<R>(_ body: () throws(SignatureFailure) -> R) throws(CommandFailure) -> R {
        do {
            return try body()
        } catch {
            throw CommandFailure(error, program: program)
        }
    }

    /// The content of a signature, for people and programs.
    func report(of found: FoundSignature, did: String?) -> Report {
        let statement = found.signature.statement
        let rows = [
            ("application", statement.application), ("team", statement.team.text),
            ("signed", CalendarDate.text(secondsSince2001: statement.date)),
            ("digest", Hexadecimal.text(statement.digest)), ("where", Self.text(found.place)),
            ("groups", statement.entitlements.accessGroups.joined(separator: ", ")),
        ]
        let level = statement.entitlements.minimumLevel.map { [("needs", "assurance level \($0.rawValue)")] } ?? []
        let lines = (rows + level).map { name, value in
            "  " + name + String(repeating: " ", count: 13 - name.utf8.count) + PlainText.escaped(value)
        }
        var detail: [(String, JSONValue)] = [
            ("program", .string(program)), ("application", .string(statement.application)),
            ("team", .string(statement.team.text)),
            ("date", .string(CalendarDate.text(secondsSince2001: statement.date))),
            ("digest", .string(Hexadecimal.text(statement.digest))),
            ("groups", .array(statement.entitlements.accessGroups.map(JSONValue.string))),
            ("minimumLevel", statement.entitlements.minimumLevel.map { .string($0.rawValue) } ?? .null),
        ]
        if case .detached(let path) = found.place { detail.append(("detached", .string(path))) }
        let heading = did.map { "\(program): \($0)" } ?? program
        return Report(([heading] + lines).joined(separator: "\n"), json: .object(detail))
    }

    static func text(_ place: FoundSignature.Place) -> String {
        switch place {
        case .embedded: "in the program"
        case .detached(let path): "in \(path)"
        }
    }
}
