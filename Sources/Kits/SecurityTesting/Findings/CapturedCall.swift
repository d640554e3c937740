import Foundation
import Runtime
import Synchronization

/// The calls that led to a place, as addresses; their names are looked up on request.
final class CapturedCall: Sendable {
    private enum Content: Sendable {
        case addresses([UInt64])
        case place(CallSite?)
    }

    private let content: Mutex<Content>

    /// Counts the calls captured in this process: those made later have higher numbers.
    let number: Int
    /// The same for calls that came the same way.
    let stack: Int
    /// It must be the app itself that compared, and not a library for it.
    private let isComparison: Bool

    private static let count = Atomic(0)

    private init(_ addresses: [UInt64], isComparison: Bool) {
        content = Mutex(.addresses(addresses))
        number = Self.count.add(1, ordering: .relaxed).newValue
        stack = addresses.hashValue
        self.isComparison = isComparison
    }

    /// Cheap: it walks the stack and nothing more.
    ///
    /// Not with `Backtrace.capture`, which follows frame pointers: libraries in C have none, and it then reads memory
    /// that may not be there.
    static func here(isComparison: Bool = false) -> CapturedCall {
        CapturedCall(Thread.callStackReturnAddresses.map(\.uint64Value), isComparison: isComparison)
    }

    /// The first place that is neither in Latchkey nor in the system.
    var callSite: CallSite? {
        content.withLock { content in
            switch content {
            case .place(let place):
                return place
            case .addresses(let addresses):
                let place = isComparison ? Self.comparison(in: addresses) : Self.callSite(in: addresses)
                content = .place(place)
                return place
            }
        }
    }

    /// The program and its libraries, looked at once, by the first device of the process: looking reads memory that is
    /// mapped, and what other threads map and unmap meanwhile, such as the index of a database, would end the program.
    static let images = ImageMap.capture()

    /// The frames with their names, one after the other: the one that is looked for is among the first, and each that was
    /// not looked up before costs milliseconds.
    private static func frames(of addresses: some Sequence<UInt64>) -> some Sequence<NamedFrame> {
        addresses.lazy.flatMap { address -> [NamedFrame] in
            if let known = knownFrames.withLock({ $0[address] }) { return known }
            let frames = lookUp(address)
            knownFrames.withLock { known in
                if known.count < knownLimit { known[address] = frames }
            }
            return frames
        }
    }

    /// Returns the function at an address, and what was inlined into it. Its name alone first: that needs no table of
    /// lines, and is all that is asked about most functions.
    private static func lookUp(_ address: UInt64) -> [NamedFrame] {
        guard let backtrace = backtrace(of: [address]) else { return [] }
        let named = backtrace.symbolicated(with: images, options: [.useSymbolCache])?.frames ?? []
        guard named.contains(where: { NamedFrame.mayHaveSite($0) }) else { return named.map { NamedFrame($0) } }
        return backtrace.symbolicated(with: images)?.frames.map { NamedFrame($0) } ?? []
    }

    /// By return address: tests run the same code on many devices.
    private static let knownFrames = Mutex<[UInt64: [NamedFrame]]>([:])
    static let knownLimit = 4096

    private static func callSite(in addresses: [UInt64]) -> CallSite? {
        for frame in frames(of: addresses.lazy.filter { !isOurs($0) }) {
            guard let symbol = frame.symbol, !SymbolOwner.isOurs(symbol) else { continue }
            // Code from a macro is in no file; the place of the macro is further up.
            if let site = frame.site { return site }
        }
        return nil
    }

    /// The code that compared, through `==` or by itself. Nil if that is Latchkey or a library for tests, or a macro:
    /// what `#expect(a == b)` compares is the test's own.
    private static func comparison(in addresses: [UInt64]) -> CallSite? {
        var isReached = false
        for frame in frames(of: addresses) {
            guard frame.symbol.map(NamedFrame.isComparison) != true else {
                isReached = true
                continue
            }
            guard isReached, let symbol = frame.symbol, !SymbolOwner.isOfValues(symbol) else { continue }
            return SymbolOwner.isOurs(symbol) ? nil : frame.site
        }
        return nil
    }
}

extension CapturedCall {
    /// A `Backtrace` can only be captured or decoded, so these addresses are written in its encoding: a byte for 64-bit
    /// addresses, then for each return address a byte and its distance from the one before, big-endian.
    private static func backtrace(of addresses: [UInt64]) -> Backtrace? {
        var bytes: [UInt8] = [0x02]
        var before: UInt64 = 0
        for address in addresses {
            bytes.append(0x27)
            unsafe withUnsafeBytes(of: (address &- before).bigEndian) { unsafe bytes += $0 }
            before = address
        }
        let encoded = Encoded(backtrace: Data(bytes).base64EncodedString(), architecture: architecture)
        guard let text = try? JSONEncoder().encode(encoded) else { return nil }
        return try? JSONDecoder().decode(Backtrace.self, from: text)
    }

    private struct Encoded: Encodable {
        let backtrace: String
        let architecture: String
    }

    private static var architecture: String {
        #if arch(x86_64)
        "x86_64"
        #else
        "arm64"
        #endif
    }
}
