import Testing

@testable import LatchkeySyncCore

/// The view of the item layer on the statements.
@Suite struct CircleViewTests {
    @Test("a device with a void admission is removed with no segments, until it is admitted again") func void() {
        var story = Story()
        let base = story.write(.device(0), .admit(1))
        story.write(.device(1), .admit(2), after: [base])
        story.write(.device(0), .remove(1), after: [base])
        let view = story.state.view
        #expect(view.members == [SampleParties.device(0)])
        #expect(view.removed[SampleParties.device(2)] == CountedSegments())
        #expect(Set(view.removed.keys) == [SampleParties.device(1), SampleParties.device(2)])
        story.write(.device(0), .admit(2))
        #expect(story.state.view.removed[SampleParties.device(2)] == nil)
        #expect(story.state.view.members == [SampleParties.device(0), SampleParties.device(2)])
    }

    @Test("a device that left is removed with the segments that it counts") func left() {
        var story = Story()
        story.write(.device(0), .admit(1))
        story.write(.device(1), .leave)
        #expect(Set(story.state.view.removed.keys) == [SampleParties.device(1)])
        #expect(!story.state.view.members.contains(SampleParties.device(1)))
        #expect(story.state.view.removed[SampleParties.device(1)] == story.state.departed[SampleParties.device(1)])
    }

    @Test("the epoch for writing is named by number and hash") func epoch() {
        var story = Story()
        #expect(story.state.view.writingEpoch == nil)
        let first = story.write(.device(0), .epoch)
        let name = EpochName(number: .first, hash: story.hash(first))
        #expect(story.state.view.writingEpoch == name)
    }
}
