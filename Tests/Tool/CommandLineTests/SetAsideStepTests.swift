import LatchkeyCommandLineTool
import LatchkeyItemDatabase
import Testing

/// The lines of `latchkey doctor` about databases that were set aside.
@Suite struct SetAsideStepTests {
    static let states: [SetAsideDatabase.State] = [.clean, .partlyClean, .unreadable, .unknown("disk I/O error")]

    @Test("each is named with what may be in it, and no advice is to delete it", arguments: states)
    func advice(_ state: SetAsideDatabase.State) {
        let step = SetAsideSteps.step("/device/keychain/keychain.db.damaged-1", state)
        #expect(step.state == .notice && step.found.hasPrefix("/device/keychain/keychain.db.damaged-1 "))
        for word in ["delete", "remove", "rm "] { #expect(step.mend?.contains(word) == false) }
        #expect(step.found.contains("search token") || state == .unknown("disk I/O error"))
        #expect(step.mend?.contains("Docs/Manual/Damage.md") == true || state == .unknown("disk I/O error"))
    }
}
