import Foundation

/// The length of a campaign of kills, faults or seeds: `make test` runs the beginning of each, `make soak` all of it.
///
/// The name of such a test ends in `Campaign`, by which `make soak` finds it. A test that `make soak` runs alone has a name
/// that ends in `Soak`.
package enum Campaign {
    /// True in `make soak`.
    package static let isWhole = environment["LATCHKEY_SOAK"] != nil

    /// The seed of the run, another one with `LATCHKEY_SEED`.
    package static func seed(_ usual: UInt64) -> UInt64 { environment["LATCHKEY_SEED"].flatMap { UInt64($0) } ?? usual }

    /// Returns `whole` in `make soak` and `few` in `make test`; the number in `LATCHKEY_KILLS` in both, if there is one.
    package static func count(_ whole: Int, inTests few: Int) -> Int {
        environment["LATCHKEY_KILLS"].flatMap { Int($0) } ?? (isWhole ? whole : few)
    }

    /// Returns `few` in `make test`, which runs each such case of a sweep alone, and 1 in `make soak`.
    package static func step(_ few: Int) -> Int { isWhole ? 1 : few }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}
