import LatchkeyItemModel
import Testing

@Suite("The texts of rules")
struct RuleTextTests {
    private static let all = Rule.allCases.map(\.text) + Rule.Occasion.allCases.map(\.text)

    @Test("say something, and their gaps have names in pairs of braces", arguments: all)
    func gaps(_ text: RuleText) throws {
        #expect(!text.reason.isEmpty && !text.advice.isEmpty)
        for part in [text.reason, text.advice] {
            #expect(
                part.filter { $0 == "{" || $0 == "}" }.enumerated().allSatisfy { ($1 == "{") == $0.isMultiple(of: 2) })
        }
        for gap in text.gaps { _ = try #require(gap.wholeMatch(of: /[a-z][A-Za-z0-9]*/), "\(gap)") }
    }

    @Test("have no gap once they are filled", arguments: all)
    func filled(_ text: RuleText) {
        let filled = text.filled(with: text.gaps.map { "<\($0)>" })
        #expect(filled.gaps.isEmpty)
        #expect(filled.rule == text.rule)
        for gap in text.gaps { #expect((filled.reason + filled.advice).contains("<\(gap)>")) }
        #expect(text.gaps.isEmpty == (filled == text))
    }

    @Test("take values in the order of their gaps, and one value for a name that occurs twice")
    func order() {
        let text = RuleText(of: .valueKind, "kSecAttrLabel", "text")
        #expect(text.reason == "The value of kSecAttrLabel is not text.")
        #expect(text.advice == "Give kSecAttrLabel text.")
        let ended = RuleText(of: .unknownKey, "abcd", "Remove it.")
        #expect(ended.reason == "abcd is not a key of keychain queries." && ended.advice == "Remove it.")
    }

    @Test("keep braces of a value as they are")
    func hostileValue() {
        let text = RuleText(of: .privateAttribute, "{key}{advice}}{")
        #expect(text.reason == "{key}{advice}}{ needs a private entitlement.")
    }
}
