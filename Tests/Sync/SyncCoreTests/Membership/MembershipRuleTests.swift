import Testing

@testable import LatchkeySyncCore

/// The rules of Docs/Design/027-sync.md, one by one.
@Suite struct MembershipRuleTests {
    @Test("each rule decides in its case", arguments: MembershipRuleCase.all.indices) func ruleOn(number: Int) {
        let rule = MembershipRuleCase.all[number]
        let story = rule.story(withRule: true)
        #expect(rule.holds(story), "\(rule.name)")
        #expect(story.state.violations(story.reference) == [], "\(rule.name)")
    }

    @Test("without the rule, its case goes wrong", arguments: MembershipRuleCase.all.indices) func ruleOff(number: Int)
    {
        let rule = MembershipRuleCase.all[number]
        #expect(!rule.holds(rule.story(withRule: false)), "\(rule.name)")
    }

    @Test("5.4: validity does not change when a removal arrives later") func validityStays() {
        var story = Story()
        let base = story.write(.device(0), .admit(1))
        story.write(.device(1), .admit(2), after: [base])
        story.write(.device(0), .remove(1), after: [base])
        #expect(story.results == [.accepted, .accepted, .accepted])
        story.write(.device(1), .epoch)
        #expect(story.results.last == .refused(.authorNotMember))
        story.write(.device(2), .epoch)
        #expect(story.results.last == .refused(.authorNotMember))
    }

    @Test("5.4: a device whose admission is void asks again, with the same keys") func admittedAgain() {
        var story = Story()
        let base = story.write(.device(0), .admit(1))
        story.write(.device(1), .admit(2), after: [base])
        story.write(.device(0), .remove(1), after: [base])
        #expect(story.members == [0])
        story.write(.device(0), .admit(2))
        #expect(story.members == [0, 2])
        story.write(.device(2), .epoch)
        #expect(story.results.last == .accepted)
    }

    @Test("5.4: a removal takes effect for ever; identifiers are not used again") func removalIsFinal() {
        var story = Story()
        story.write(.device(0), .admit(1))
        let before = story.heads
        story.write(.device(0), .remove(1))
        story.write(.device(0), .admit(1))
        #expect(story.results.last == .refused(.deviceDeparted))
        story.write(.device(0), .admit(1), after: before, index: 3)
        #expect(story.results.last == .accepted)
        #expect(story.members == [0])
    }

    @Test("5.4: the recovery code admits a device after all devices were removed") func recoveryIsArbiter() {
        var story = Story()
        let base = story.write(.device(0), .admit(1))
        story.write(.device(0), .remove(1), after: [base])
        story.write(.device(1), .remove(0), after: [base])
        #expect(story.members == [])
        #expect(story.state.needsEpoch)
        story.write(.recovery(0), .admit(2))
        #expect(story.members == [2])
        // The removed devices can write statements that do not know it.
        story.write(.device(1), .recovery(3), after: [base], index: 1)
        story.write(.device(1), .remove(2), after: [base], index: 1)
        #expect(story.results.suffix(2) == [.accepted, .refused(.unknownDevice)])
        #expect(story.members == [2])
        #expect(story.recoveryKeys == 0)
    }

    @Test("5.4: two uses of one code that replace it without knowing each other are both void") func twoHolders() {
        var story = Story()
        let first = story.write(.recovery(0), .admit(1), after: [0])
        let second = story.write(.recovery(0), .admit(2), after: [0])
        story.write(.device(1), .recovery(1), after: [first])
        story.write(.device(2), .recovery(2), after: [second])
        #expect(story.results == [.accepted, .accepted, .accepted, .accepted])
        #expect(story.members == [0])
        #expect(story.recoveryKeys == 0)
        #expect(story.state.violations(story.reference) == [])
    }

    @Test("5.4: the deepest recovery keys are current, of equal ones those with the smaller hash")
    func currentRecovery() {
        var story = Story()
        story.write(.device(0), .admit(1))
        let base = story.heads
        let left = story.write(.device(0), .recovery(1), after: base)
        let right = story.write(.device(1), .recovery(2), after: base)
        #expect(story.recoveryKeys == (story.hash(left) < story.hash(right) ? 1 : 2))
        story.write(.device(0), .recovery(3), after: [left])
        #expect(story.recoveryKeys == 3)
        story.write(.recovery(3), .admit(2))
        #expect(story.results.last == .accepted)
        story.write(.recovery(1), .admit(3))
        #expect(story.results.last == .refused(.authorNotMember))
    }

    @Test("5.5: of concurrent epochs with one number, the one with the smaller hash is for writing")
    func concurrentEpochs() {
        var story = Story()
        let base = story.write(.device(0), .admit(1))
        let left = story.write(.device(0), .epoch, after: [base])
        let right = story.write(.device(1), .epoch, after: [base])
        #expect(story.writingEpoch == (story.hash(left) < story.hash(right) ? left : right))
        #expect(story.state.writingEpoch?.number == EpochNumber(1))
        let later = story.write(.device(1), .epoch, after: [right])
        #expect(story.writingEpoch == later)
    }

    @Test("5.4: an epoch that a share or an admission gave to a removed device is not for writing") func sharedEpochs()
    {
        var story = Story()
        story.write(.device(0), .admit(1))
        story.write(.device(0), .admit(2))
        let epoch = story.write(.device(0), .epoch, recipients: [0, 1])
        let late = story.write(.device(1), .share(of: epoch, to: 2))
        #expect(story.state.writingEpoch?.recipients.contains(.device(SampleParties.device(2))) == true)
        story.write(.device(2), .leave, after: [epoch])
        #expect(story.results.allSatisfy { $0 == .accepted })
        #expect(story.state.needsEpoch)
        story.write(.device(0), .share(of: late, to: 1))
        #expect(story.results.last == .refused(.unknownEpoch))
    }

    @Test("epoch numbers follow the past") func epochNumbers() throws {
        var story = Story()
        story.write(.device(0), .epoch)
        let statement = try Statement(
            circle: story.graph.circle, author: .device(SampleParties.device(0)), index: 3, parents: [story.hash(1)],
            date: 0, body: .epoch(SampleParties.epoch(3, for: [])))
        var graph = story.graph
        guard let hash = ObjectHash(Array(0..<32)) else { return }
        #expect(
            graph.insert(VerifiedStatement(testOnlyUnsigned: statement, hash: hash))
                == .refused(.wrongEpochNumber(expected: 2, found: EpochNumber(3))))
    }
}
