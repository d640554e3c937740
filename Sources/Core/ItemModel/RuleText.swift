/// The text of a rule: the reason and the advice. A name in braces is a gap for a value of the call. A gap that occurs
/// twice takes one value.
package struct RuleText: Sendable, Hashable {
    package let rule: Rule
    /// One sentence that says what happened and why.
    package let reason: String
    /// One sentence that says what to do.
    package let advice: String

    init(_ rule: Rule, _ reason: String, advice: String) {
        self.rule = rule
        self.reason = reason
        self.advice = advice
    }

    /// Creates the text of a rule with values in its gaps.
    package init(of rule: Rule, _ values: any CustomStringConvertible...) {
        self = rule.text.filled(with: values)
    }

    /// Returns the text with values in its gaps, in the order in which they occur, those of the reason first.
    package func filled(with values: [any CustomStringConvertible]) -> RuleText {
        let gaps = gaps
        assert(gaps.count == values.count, "\(rule.rawValue) has the gaps \(gaps), not \(values.count)")
        guard !gaps.isEmpty else { return self }
        let filling = Dictionary(zip(gaps, values.map(\.description)), uniquingKeysWith: { first, _ in first })
        return RuleText(rule, Self.fill(reason, filling), advice: Self.fill(advice, filling))
    }

    /// The names of the gaps, each once.
    package var gaps: [String] {
        (Self.pieces(of: reason) + Self.pieces(of: advice)).reduce(into: []) { names, piece in
            if case .gap(let name) = piece, !names.contains(name) { names.append(name) }
        }
    }

    private static func fill(_ text: String, _ values: [String: String]) -> String {
        pieces(of: text).map { piece in
            switch piece {
            case .words(let words): words
            case .gap(let name): values[name] ?? name
            }
        }.joined()
    }

    private enum Piece {
        case words(String)
        case gap(String)
    }

    /// Divides a text at its braces: behind an odd number of them stands the name of a gap.
    private static func pieces(of text: String) -> [Piece] {
        text.split(omittingEmptySubsequences: false) { $0 == "{" || $0 == "}" }.enumerated().map { index, part in
            index.isMultiple(of: 2) ? .words(String(part)) : .gap(String(part))
        }
    }
}
