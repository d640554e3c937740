/// A message with values, as a literal of the source has them: `"\(count) of \(name, privacy: .public)"`.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
    private let pieces: [OSLogInterpolation.Piece]

    public init(stringInterpolation: OSLogInterpolation) { pieces = stringInterpolation.pieces }

    public init(stringLiteral value: String) { pieces = [.literal(value)] }

    /// The text as it is written, without what is private.
    var text: String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .literal(let literal): text += literal
            case .value(let value): text += value()
            }
        }
    }
}

/// The pieces of a message. A value is computed when the message is written, and not at all if it is redacted
/// without a code in its place.
public struct OSLogInterpolation: StringInterpolationProtocol {
    enum Piece {
        case literal(String)
        case value(() -> String)
    }

    private(set) var pieces: [Piece] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
        pieces.reserveCapacity(2 * interpolationCount + 1)
    }

    public mutating func appendLiteral(_ literal: String) {
        if !literal.isEmpty { pieces.append(.literal(literal)) }
    }

    mutating func append(
        isScalar: Bool, _ privacy: OSLogPrivacy, _ align: OSLogStringAlignment, _ value: @escaping () -> String
    ) {
        pieces.append(.value { align.aligned(privacy.text(isScalar: isScalar, value)) })
    }
}
