package import LatchkeyAccessControl

/// The result of waiting for a finger.
package enum MatchOutcome: Sendable, Hashable {
    case matched(Finger?)
    /// If `missesLeft` is 0, biometry is now locked out.
    case notMatched(missesLeft: Int)
    case unclear(UnclearTouch)
    case cancelled
    case timedOut
    case refused(VerdictRule)
}

/// The first byte of a ``MatchOutcome``.
private enum MatchOutcomeKind: UInt8 {
    case matched = 1
    case notMatched = 2
    case unclear = 3
    case cancelled = 4
    case timedOut = 5
    case refused = 6
}

extension MatchOutcome {
    package func write(to writer: inout MessageWriter) {
        writer.byte(kind.rawValue)
        switch self {
        case .matched(let finger): writer.optionalFinger(finger)
        case .notMatched(let missesLeft): writer.byte(UInt8(clamping: missesLeft))
        case .unclear(let touch): writer.byte(touch.rawValue)
        case .refused(let rule): writer.rule(rule)
        case .cancelled, .timedOut: break
        }
    }

    fileprivate init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self =
            switch try reader.choice("match", of: MatchOutcomeKind.self) {
            case .matched: .matched(try reader.optionalFinger())
            case .notMatched: .notMatched(missesLeft: Int(try reader.byte()))
            case .unclear: .unclear(try reader.choice("touch", of: UnclearTouch.self))
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .refused: .refused(try reader.rule())
            }
    }

    private var kind: MatchOutcomeKind {
        switch self {
        case .matched: .matched
        case .notMatched: .notMatched
        case .unclear: .unclear
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        case .refused: .refused
        }
    }
}

extension MatchOutcome: ContextValue {
    package var part: UInt8 { 8 }

    package init?(part: UInt8, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard part == 8 else { return nil }
        try self.init(from: &reader)
    }
}

/// The answer to a request to unlock the device by finger.
extension MatchOutcome: EnclaveAnswer {
    private static let unlocking = MessageNumber.fingerAnswer(3)

    package var number: MessageNumber { Self.unlocking }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Self.unlocking else { return nil }
        try self.init(from: &reader)
    }
}
