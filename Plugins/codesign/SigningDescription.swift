import Foundation
import PackagePlugin

/// The settings of a package for the signature of one of its programs.
struct SigningDescription {
    let product: ExecutableProduct
    let package: Package

    /// Returns the order for `latchkey codesign`; nil for a program without settings that was not asked for.
    func order(for request: SigningRequest) throws -> SigningOrder? {
        let file = try settingsFile()
        let settings = try file.map(settings(in:)) ?? [:]
        guard let identifier = request.identifier ?? settings["CFBundleIdentifier"] else {
            guard request.products.isEmpty else {
                throw SigningRequest.Failure(
                    description: "\(product.name) has no identifier. Write CFBundleIdentifier into Latchkey.plist, or "
                        + "say --identifier com.example.\(product.name.lowercased()).")
            }
            return nil
        }
        let environment = ProcessInfo.processInfo.environment["LATCHKEY_TEAM"].flatMap { $0.isEmpty ? nil : $0 }
        let team = request.team ?? environment ?? settings["LatchkeyTeam"]
        guard team != nil || request.key != nil else {
            throw SigningRequest.Failure(
                description: "No team is named for \(product.name). Say --team, or set LATCHKEY_TEAM. "
                    + "`latchkey team create` makes a team.")
        }
        return SigningOrder(
            product: product.name, team: team, key: request.key,
            identifier: identifier.replacingOccurrences(of: "$(PRODUCT_NAME)", with: product.name),
            entitlements: request.entitlements ?? entitlementsFile(), aliases: request.aliases)
    }

    private var directories: [URL] { [product.mainTarget.directoryURL, package.directoryURL] }

    /// The target's Latchkey.plist, else the package's.
    private func settingsFile() throws -> URL? {
        directories.map { $0.appending(path: "Latchkey.plist") }.first {
            FileManager.default.fileExists(atPath: $0.path)
        }
    }

    private func settings(in file: URL) throws -> [String: String] {
        let list = try? PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        guard let dictionary = list as? [String: Any] else {
            throw SigningRequest.Failure(description: "\(file.path) is not a property list with a dictionary.")
        }
        let known = ["CFBundleIdentifier", "LatchkeyTeam"]
        if let other = dictionary.keys.sorted().first(where: { !known.contains($0) }) {
            throw SigningRequest.Failure(
                description: "\(file.path) has the key \(other). It may have: \(known.joined(separator: ", ")).")
        }
        return try dictionary.mapValues { value in
            guard let text = value as? String, !text.isEmpty else {
                throw SigningRequest.Failure(description: "A value of \(file.path) is not text.")
            }
            return text
        }
    }

    private func entitlementsFile() -> String? {
        directories.map { $0.appending(path: product.name + ".entitlements").path }
            .first { FileManager.default.fileExists(atPath: $0) }
    }
}

/// One call of `latchkey codesign`.
struct SigningOrder {
    let product: String
    let team: String?
    let key: String?
    let identifier: String
    let entitlements: String?
    let aliases: [String]

    func arguments(program: URL) -> [String] {
        var arguments = ["codesign", "--force", "--identifier", identifier]
        for (option, value) in [("--team", team), ("--key", key), ("--entitlements", entitlements)] {
            guard let value else { continue }
            arguments += [option, value]
        }
        for alias in aliases { arguments += ["--alias", alias] }
        return arguments + ["--", program.path]
    }
}
