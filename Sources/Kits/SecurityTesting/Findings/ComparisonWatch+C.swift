import LatchkeyCryptoMisuse
import LatchkeyKeychainMessages

@_implementationOnly import CLatchkeyComparisonWatch

/// A watch on the program's comparisons with `memcmp`; see `CComparisonWatch`.
enum ComparisonWatch {
    private static let isOn: Void = {
        // Once from ordinary code: what the listener needs of Swift's runtime is there when it is called from within a
        // comparison.
        unsafe listen("a", "b", 1)
        unsafe lk_comparison_watch_begin { one, other, count in unsafe listen(one, other, count) }
    }()

    /// Comparisons of these lengths are looked at from now on, until they are forgotten as often.
    static func expect(_ lengths: Set<Int>) {
        guard !lengths.isEmpty else { return }
        for length in lengths { lk_comparison_watch_expect(length) }
        _ = isOn
    }

    /// Takes back what was expected.
    static func forget(_ lengths: Set<Int>) {
        for length in lengths { lk_comparison_watch_forget(length) }
    }

    /// Runs `body` without watching its comparisons: it holds the lock that watching needs.
    static func withoutListening<R>(_ body: () -> R) -> R {
        let depth = lk_comparison_watch_pause(1)
        defer { _ = lk_comparison_watch_pause(depth) }
        return body()
    }

    private static func listen(_ one: UnsafeRawPointer?, _ other: UnsafeRawPointer?, _ count: Int) {
        guard let app = CryptoEar.appThatCompares else { return }
        let operands = unsafe [
            ComparedBytes(UnsafeRawBufferPointer(start: one, count: count)),
            ComparedBytes(UnsafeRawBufferPointer(start: other, count: count)),
        ]
        for operand in operands { app.calls.crypto.compares(operand, app: app.caller.name) }
    }
}
