import Foundation

/// From a clone of a package to the end of its first test: with a kit, against the package manager alone. It needs
/// `make kit`.
enum KitRow {
    static func run(_ session: Session) throws -> Finding {
        let package = try SamplePackage(in: session.scratch + "/kit-package")
        let tool = URL(fileURLWithPath: try Worker.thisProgram()).deletingLastPathComponent().path + "/latchkey"
        let pairs = try session.pairs(
            value: {
                try package.firstTest(by: [tool, "swift", "--kit", Peer.kitDirectory, "test"], storesIn: "keychain")
            },
            limit: { try package.firstTest(by: ["/usr/bin/env", "swift", "test"], storesIn: "dictionary") })
        return Finding(
            name: "kit-first-test", pairs: pairs, unit: "s", against: "`swift test` of the package without Latchkey",
            demand: .atMost(1.3))
    }
}
