@testable import LatchkeySyncCore

/// A circle in which one rule decides.
struct MembershipRuleCase: Sendable {
    let name: String
    let switchOff: @Sendable (inout MembershipRules) -> Void
    let tell: @Sendable (inout Story) -> Void
    /// Returns true if the invariant holds at the end of the story.
    let holds: @Sendable (Story) -> Bool

    func story(withRule isOn: Bool) -> Story {
        var rules = MembershipRules()
        if !isOn { switchOff(&rules) }
        var story = Story(rules)
        tell(&story)
        return story
    }

    static let all = [
        MembershipRuleCase(
            name: "1: a device that was never admitted cannot remove", switchOff: { $0.authorsAreMembers = false },
            tell: { $0.write(.device(5), .remove(0)) }, holds: { $0.members == [0] }),
        MembershipRuleCase(
            name: "1: an index cannot be left out", switchOff: { $0.indexesFollow = false },
            tell: { $0.write(.device(0), .epoch, index: 5) },
            holds: { $0.results == [.refused(.wrongIndex(expected: 2, found: 5))] }),
        MembershipRuleCase(
            name: "a removed device cannot remove a device that is admitted later",
            switchOff: { $0.removalsNameKnownDevices = false },
            tell: { story in
                let admission = story.write(.device(0), .admit(1))
                let removal = story.write(.device(0), .remove(1))
                story.write(.device(1), .remove(2), after: [admission])
                story.write(.device(0), .admit(2), after: [removal])
            }, holds: { $0.members == [0, 2] }),
        MembershipRuleCase(
            name: "2: devices that remove each other are both removed",
            switchOff: { $0.removalsAlwaysTakeEffect = false },
            tell: { story in
                story.write(.device(0), .admit(1))
                let base = story.write(.device(0), .admit(2))
                story.write(.device(0), .remove(1), after: [base])
                story.write(.device(1), .remove(0), after: [base])
            }, holds: { $0.departed == [0, 1] && $0.members == [2] }),
        MembershipRuleCase(
            name: "3: an admission by a concurrently removed device is void",
            switchOff: { $0.voidsUnseenAdmissions = false },
            tell: { story in
                let base = story.write(.device(0), .admit(1))
                story.write(.device(0), .remove(1), after: [base])
                story.write(.device(1), .admit(2), after: [base])
            }, holds: { $0.members == [0] }),
        MembershipRuleCase(
            name: "3: an epoch by a concurrently removed device is void, even if it excludes that device",
            switchOff: { $0.voidsUnseenEpochs = false },
            tell: { story in
                story.write(.device(0), .admit(1))
                let base = story.write(.device(0), .admit(2))
                story.write(.device(0), .remove(1), after: [base])
                let first = story.write(.device(1), .epoch, after: [base], recipients: [0, 2])
                story.write(.device(1), .epoch, after: [first], recipients: [0, 2])
            }, holds: { $0.writingEpoch == 3 }),
        MembershipRuleCase(
            name: "3: recovery keys that the departure of their author does not know are void",
            switchOff: { $0.voidsUnseenRecovery = false },
            tell: { story in
                let base = story.write(.device(0), .admit(1))
                story.write(.device(1), .leave, after: [base])
                story.write(.device(1), .recovery(1), after: [base])
            }, holds: { $0.recoveryKeys == 0 }),
        MembershipRuleCase(
            name: "3: admissions that follow from a void admission are void",
            switchOff: { $0.voidsWhatRestsOnVoid = false },
            tell: { story in
                let base = story.write(.device(0), .admit(1))
                story.write(.device(0), .remove(1), after: [base])
                let second = story.write(.device(1), .admit(2), after: [base])
                story.write(.device(2), .admit(3), after: [second])
            }, holds: { $0.members == [0] }),
        MembershipRuleCase(
            name: "3: an admission with recovery keys is void if their replacement does not know it",
            switchOff: { $0.voidsUnseenByReplacement = false },
            tell: { story in
                story.write(.device(0), .recovery(1), after: [0])
                story.write(.recovery(0), .admit(2), after: [0])
            }, holds: { $0.members == [0] }),
        MembershipRuleCase(
            name: "recovery keys of a removed device cannot admit a device, even if the removal is void otherwise",
            switchOff: { $0.removalsEndRecoveryKeys = false },
            tell: { story in
                story.write(.device(0), .admit(1))
                story.write(.device(0), .admit(2))
                let base = story.write(.device(1), .recovery(1))
                story.write(.device(0), .remove(1, newKeys: 2), after: [base])
                let attack = story.write(.device(1), .remove(0), after: [base])
                story.write(.recovery(1), .admit(3), after: [attack])
            }, holds: { $0.members == [2] && $0.recoveryKeys == 0 }),
        MembershipRuleCase(
            name: "5: after a departure the old epoch is not used", switchOff: { $0.writingExcludesRemoved = false },
            tell: { story in
                story.write(.device(0), .admit(1))
                story.write(.device(0), .epoch)
                story.write(.device(1), .leave)
            }, holds: { $0.state.needsEpoch }),
        MembershipRuleCase(
            name: "a removed device does not extend its streams by leaving",
            switchOff: { $0.standingRemovalsCount = false },
            tell: { story in
                let base = story.write(.device(0), .admit(1))
                story.write(.device(0), .remove(1), after: [base])
                story.write(.device(1), .leave, after: [base])
            }, holds: { $0.state.departed[SampleParties.device(1)] == CountedSegments(a: 2, c: 1) }),
    ]
}
