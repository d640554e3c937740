import LatchkeyThreading

@_implementationOnly import CLatchkeyShims

/// The log of a process that asked for one in its environment: a line for each call site and each kind of flaw, without
/// any encrypted data.
///
/// A ciphertext without a code gives no line: the code may still come. Only a test has an end that settles it.
final class FindingsLog: CryptoListener {
    static let shared = FindingsLog()

    private struct State {
        var review = MisuseReview<CallAddresses>(seed: SystemRandomNumberGenerator.seed)
        var calls: Set<Call> = []
        var written: Set<Line> = []
    }

    /// Calls with the same addresses have the same call site, whose name is then looked up only once.
    private struct Call: Hashable {
        let kind: CryptoFlaw.Kind
        let addresses: [UInt]
    }

    private struct Line: Hashable {
        let kind: CryptoFlaw.Kind
        let place: String
    }

    /// The limit of recorded calls; a program that runs for months needs bounded memory.
    private static let limit = 4096

    private let state = ForkMutex(State())

    func hear(_ use: ObservedUse) {
        let found = state.withLock { $0.review.observe(use) { CallAddresses.here() } }
        for found in found { write(found.flaw, found.place) }
    }

    private func write(_ flaw: CryptoFlaw, _ addresses: CallAddresses) {
        let isNewCall = state.withLock { state in
            state.calls.count < Self.limit
                && state.calls.insert(Call(kind: flaw.kind, addresses: addresses.nearest)).inserted
        }
        guard isNewCall else { return }
        let place = addresses.description
        guard state.withLock({ $0.written.insert(Line(kind: flaw.kind, place: place)).inserted }) else { return }
        var line = "latchkey: \(place): \(flaw.reason) \(flaw.advice) [\(flaw.kind.rawValue)]\n"
        line.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe lk_findings_write($0.baseAddress, $0.count) }
        }
    }
}

/// The addresses of the calls that led to a call site.
private struct CallAddresses: Sendable {
    private let addresses: [UInt]

    static func here() -> CallAddresses {
        CallAddresses(
            addresses: unsafe Array(unsafeUninitializedCapacity: 48) { buffer, count in
                count = unsafe lk_call_addresses(buffer.baseAddress, buffer.count)
            })
    }

    /// Enough addresses to identify the caller of `CommonCrypto` and that function's caller.
    var nearest: [UInt] { Array(addresses.prefix(16)) }

    /// The caller of `CommonCrypto`.
    var description: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2048) { text in
            unsafe lk_call_describe(addresses, addresses.count, text.baseAddress, text.count)
            return unsafe text.baseAddress.map { unsafe String(cString: $0) } ?? ""
        }
    }
}

extension SystemRandomNumberGenerator {
    fileprivate static var seed: UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
