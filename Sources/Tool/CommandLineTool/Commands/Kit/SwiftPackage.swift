import Foundation
import LatchkeyPlainText

/// The package that swift works on, and where it builds.
package struct SwiftPackage: Sendable {
    /// The options of swift that decide where programs are built. Each has a value, also behind an equals sign.
    private static let placeOptions: Set<String> = [
        "-c", "--configuration", "--package-path", "--scratch-path", "--build-path", "--triple", "--arch", "--sdk",
        "--swift-sdk", "--build-system",
    ]

    package let directory: String
    private let current: String
    /// False in a directory that is in no package.
    private let isPackage: Bool
    /// Those of swift's arguments that decide where programs are built.
    package let placeArguments: [String]

    /// - Parameter arguments: of swift, beginning with the command.
    package init(arguments: [String], current: String = FileManager.default.currentDirectoryPath) {
        var place: [String] = []
        var directory = current
        var rest = arguments.dropFirst()
        while let word = rest.popFirst(), word != "--" {
            let name = word.prefix { $0 != "=" }
            guard Self.placeOptions.contains(String(name)) else { continue }
            let value = name.count < word.count ? String(word.dropFirst(name.count + 1)) : rest.popFirst()
            guard let value else { break }
            place += [String(name), value]
            if name == "--package-path" { directory = PathText.isAbsolute(value) ? value : current + "/" + value }
        }
        let root = Self.root(of: directory)
        (self.directory, isPackage, placeArguments) = (root ?? directory, root != nil, place)
        self.current = current
    }

    /// The directory in which swift builds.
    package func scratchDirectory(_ environment: [String: String]) -> String {
        let option = Array(stride(from: 0, to: placeArguments.count, by: 2)).last {
            ["--scratch-path", "--build-path"].contains(placeArguments[$0])
        }
        let named = [option.map { placeArguments[$0 + 1] }, environment["SWIFTPM_BUILD_DIR"]].compactMap(\.self)
        guard let place = named.first(where: { !$0.isEmpty }) else { return directory + "/.build" }
        return PathText.isAbsolute(place) ? place : current + "/" + place
    }

    /// The directory at or above this one that has the manifest, which is the one that swift takes.
    private static func root(of directory: String) -> String? {
        var parts = PathText.parts(of: directory)
        while true {
            let path = "/" + parts.joined(separator: "/")
            if FileManager.default.fileExists(atPath: path + "/Package.swift") { return path }
            guard parts.popLast() != nil else { return nil }
        }
    }

    /// The bundle identifier of the package's programs where none is named.
    package var defaultIdentifier: String {
        let name = URL(fileURLWithPath: directory).standardizedFileURL.lastPathComponent
        let allowed = name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                byte
            default: UInt8(ascii: "-")
            }
        }
        return "org.latchkey.swift." + (allowed.isEmpty ? "package" : String(decoding: allowed, as: UTF8.self))
    }

    /// The package's file of entitlements if it has exactly one, outside of what swift builds and hidden directories.
    package func onlyEntitlements() -> String? {
        guard isPackage else { return nil }
        let files = try? DirectoryTree.files(below: directory) { !$0.hasPrefix(".") }
        let found = (files ?? []).filter { $0.hasSuffix(".entitlements") }
        guard found.count > 1 else { return found.first }
        StandardError.write(
            "latchkey: the package has several .entitlements files, and none of them counts. Name one with --entitlements: "
                + found.map { PlainText.escaped($0) }.joined(separator: ", ") + "\n")
        return nil
    }

    // MARK: The bundle identifier

    /// Says in the file that it may be replaced.
    private static let mark = "org.latchkey.kit"

    /// Puts an `Info.plist` where `Bundle.main` of a plain program finds it: beside the program. One of the package's own
    /// stays.
    func putInformation(identifier: String, swift: Program) throws(CommandFailure) {
        guard let output = swift.output(of: ["build", "--show-bin-path"] + placeArguments),
            let directory = output.split(separator: "\n").last.map(String.init), PathText.isAbsolute(directory)
        else { return }
        let path = directory + "/Info.plist"
        let former = BoundedFile.text(path, limit: 1 << 16)
        let text = Self.information(identifier)
        guard former != text, former?.contains(Self.mark) ?? true else { return }
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try ResultFile.write(Array(text.utf8), to: path)
    }

    /// A property list with the identifier.
    package static func information(_ identifier: String) -> String {
        let escaped = identifier.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0">
            <dict>
                <key>CFBundleIdentifier</key>
                <string>\(escaped)</string>
                <key>\(mark)</key>
                <true/>
            </dict>
            </plist>

            """
    }
}
