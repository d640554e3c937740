import LatchkeyCommandLineTool
import LatchkeyKeychainMessages
import Testing

@Suite("Refusals in the words of the command line")
struct FlagWordsTests {
    @Test(
        "constants of the SDK become the flags that a person gave",
        arguments: [
            ("Leave kSecAttrSynchronizable out.", "Leave --synchronizable out."),
            ("Leave out kSecUseAuthenticationUIFail, or set interactionNotAllowed to false.", "Leave out --no-prompt."),
            ("Use a kSecAttrAccessible constant.", "Use a name that --help lists."),
            (
                "kSecAttrAccessible is ak, not kSecAttrAccessibleAfterFirstUnlock.",
                "--accessible is ak, not after-first-unlock."
            ),
            ("Choose kSecAttrAccessibleNothing.", "Choose kSecAttrAccessibleNothing."),
            ("`latchkey unlock`.", "`latchkey unlock`."),
        ])
    func translated(_ text: String, _ words: String) {
        let refusal = FlagWords.translated(Refusal(ruleName: "rule", reason: text, advice: text))
        #expect(refusal == Refusal(ruleName: "rule", reason: words, advice: words))
    }
}
