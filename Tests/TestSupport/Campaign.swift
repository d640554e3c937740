import Foundation

/// The length of a campaign of kills, faults or seeds: `make test` runs the beginning of each, `make soak` all of it.
///
/// The name of such a test ends in `Campaign`, by which `make soak` finds it. `make test` leaves out a test whose name
/// ends in `Soak`.
package enum Campaign {
    /// True in `make soak`.
    package static let isWhole = environment["LATCHKEY_SOAK"] != nil

    /// The seed of the run, another one with `LATCHKEY_SEED`.
    package static func seed(_ usual: UInt64) -> UInt64 { environment["LATCHKEY_SEED"].flatMap { UInt64($0) } ?? usual }

    /// Returns `whole` in `make soak` and `few` in `make test`. The variable `LATCHKEY_KILLS` overrides both.
    package static func count(_ whole: Int, inTests few: Int) -> Int {
        environment["LATCHKEY_KILLS"].flatMap { Int($0) } ?? (isWhole ? whole : few)
    }

    /// Returns the distance of the cases of a sweep that run: 1 in `make soak`, `distance` in `make test`.
    package static func step(inTests distance: Int) -> Int { isWhole ? 1 : distance }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}
