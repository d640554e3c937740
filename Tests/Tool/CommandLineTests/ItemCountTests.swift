import LatchkeyCommandLineTool
import LatchkeyEnclaveContract
import Testing

@Suite("Numbers of things in words")
struct ItemCountTests {
    @Test("one is singular, and so is its noun", arguments: [(0, "0 items"), (1, "1 item"), (2, "2 items")])
    func items(_ count: Int, _ words: String) {
        #expect(ItemCount.text(count) == words)
        #expect(ItemCount.text(count, "macro") == words.replacing("item", with: "macro"))
        #expect(ItemCount.text(count, "identity", "identities") == (count == 1 ? "1 identity" : "\(count) identities"))
    }

    @Test("one miss that is left is one")
    func misses() {
        let survey = SensorSurvey(name: "Reader", fingers: [.leftThumb], digest: [1])
        let status = BiometryStatus(survey: survey, obstacle: nil, enrolmentSet: nil, missesLeft: 1)
        #expect(FingerWords.summary(status).hasSuffix("after 1 more miss"))
    }
}
