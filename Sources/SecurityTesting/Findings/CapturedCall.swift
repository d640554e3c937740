import Foundation
import Runtime
import Synchronization

/// The calls that led to a place, as addresses; what they are called is looked up when somebody asks.
final class CapturedCall: Sendable {
    private enum Content: Sendable {
        case addresses([UInt64])
        case place(CallSite?)
    }

    private let content: Mutex<Content>

    private init(_ addresses: [UInt64]) {
        content = Mutex(.addresses(addresses))
    }

    /// Cheap: it walks the stack and nothing more.
    ///
    /// Not with `Backtrace.capture`, which follows frame pointers: libraries in C have none, and it then reads memory
    /// that may not be there.
    static func here() -> CapturedCall {
        CapturedCall(Thread.callStackReturnAddresses.map(\.uint64Value))
    }

    /// The first place that is neither in Latchkey nor in the system.
    var callSite: CallSite? {
        content.withLock { content in
            switch content {
            case .place(let place):
                return place
            case .addresses(let addresses):
                let place = Self.callSite(in: addresses)
                content = .place(place)
                return place
            }
        }
    }

    /// The program and its libraries, looked at once, by the first device of the process: looking reads memory that is
    /// mapped, and what other threads map and unmap meanwhile, such as the index of a database, would end the program.
    static let images = ImageMap.capture()

    private static func callSite(in addresses: [UInt64]) -> CallSite? {
        guard let frames = backtrace(of: addresses)?.symbolicated(with: images)?.frames else { return nil }
        for frame in frames {
            guard let symbol = frame.symbol, !frame.isSystem, !frame.isSwiftThunk, !isOurs(symbol.rawName) else {
                continue
            }
            // What a macro wrote stands in no file; the place of the macro is further up.
            guard let location = symbol.sourceLocation, location.line > 0, !location.path.contains("@__swiftmacro_")
            else { continue }
            return CallSite(function: symbol.name, file: location.path, line: location.line)
        }
        return nil
    }

    /// By the module at the front of the mangled name, which begins with its length.
    private static func isOurs(_ mangledName: String) -> Bool {
        modules.contains { mangledName.hasPrefix("$s\($0.utf8.count)\($0)") }
    }

    private static let modules = [
        "Security", "SecurityTesting", "Device", "KeychainMessages", "KeychainService", "LocalAuthentication",
        "Foundation", "FoundationEssentials", "CoreFoundation", "Dispatch",
    ]
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
