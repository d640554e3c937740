import Testing

@testable import LatchkeySyncCore

/// The set of statements of a device: insertion, evidence, limits, and what a member needs for writing.
@Suite struct StatementGraphTests {
    private func signed(_ statement: Statement, _ keys: PartyKeys) throws -> SignedStatement {
        try HashSignatures.sign(statement, keys: keys)
    }

    private func circle() throws -> (graph: StatementGraph, founding: SignedStatement) {
        let founding = try signed(
            Statement(founding: SampleParties.founding, date: 0), .device(SampleParties.devices[0]))
        return (try StatementGraph(founding: founding, verifier: HashSignatures()), founding)
    }

    private func statement(
        _ graph: StatementGraph, _ author: Int, _ body: StatementBody
    ) throws -> SignedStatement {
        let place = try #require(graph.nextPlace(for: .device(SampleParties.device(author))))
        return try signed(
            Statement(
                circle: place.circle, author: place.author, index: place.index, parents: place.parents, date: 0,
                body: body), .device(SampleParties.devices[author]))
    }

    @Test("signed statements are accepted in every order") func orders() throws {
        var (graph, _) = try circle()
        let start = graph
        var chain: [SignedStatement] = []
        for device in 1...3 {
            let admission = Admission(keys: SampleParties.devices[device], share: nil)
            let next = try statement(graph, device - 1, .admit(admission))
            #expect(graph.insert(next, verifier: HashSignatures()) == .accepted)
            #expect(graph.insert(next, verifier: HashSignatures()) == .known)
            chain.append(next)
        }
        for order in [[2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            var other = start
            #expect(
                other.insert(all: order.map { chain[$0] }, verifier: HashSignatures())
                    == [.accepted, .accepted, .accepted])
            #expect(other.state().view == graph.state().view)
        }
        var lonely = start
        #expect(lonely.insert(chain[2], verifier: HashSignatures()) == .waiting(for: [chain[1].hash]))
        #expect(lonely.count == 1)
    }

    @Test("statements with other keys, of other circles and of strangers are refused") func strangers() throws {
        var (graph, founding) = try circle()
        let place = try #require(graph.nextPlace(for: .device(SampleParties.device(0))))
        func make(_ author: CircleParty, circle: CircleIdentifier? = nil) throws -> Statement {
            try Statement(
                circle: circle ?? place.circle, author: author, index: 2, parents: place.parents, date: 0,
                body: .leave(Leave(counted: CountedSegments())))
        }
        let own = try make(place.author)
        let message = try own.content().signedBytes
        let forged = try SignedStatement(
            own, signature: HashSignatures.signature(over: message, publicKey: SampleParties.devices[1].statement))
        #expect(graph.insert(forged, verifier: HashSignatures()) == .refused(.notVerified(.badSignature)))
        let stranger = try signed(make(.device(SampleParties.device(1))), .device(SampleParties.devices[1]))
        #expect(graph.insert(stranger, verifier: HashSignatures()) == .refused(.authorNotMember))
        let other = try signed(
            make(place.author, circle: CircleIdentifier(Array(0..<16))), .device(SampleParties.devices[0]))
        #expect(graph.insert(other, verifier: HashSignatures()) == .refused(.otherCircle))
        let second = try signed(
            Statement(founding: SampleParties.founding, date: 1), .device(SampleParties.devices[0]))
        #expect(graph.insert(second, verifier: HashSignatures()) == .refused(.anotherFounding))
        #expect(graph.insert(founding, verifier: HashSignatures()) == .known)
        #expect(throws: StatementFailure.misplacedFounding) {
            try StatementGraph(founding: own.testOnlySigned(), verifier: HashSignatures())
        }
    }

    @Test("5.11: two statements of a device with one index are evidence; two uses of a recovery code are not")
    func evidence() {
        var story = Story()
        let base = story.write(.device(0), .admit(1))
        #expect(story.graph.evidence == [])
        let left = story.write(.device(1), .epoch, after: [base])
        let right = story.write(.device(1), .settings(5), after: [base])
        story.write(.recovery(0), .admit(2), after: [base])
        story.write(.recovery(0), .admit(3), after: [base])
        let expected = StatementEvidence(
            device: SampleParties.device(1), index: 1, statements: [story.hash(left), story.hash(right)])
        #expect(story.graph.evidence == [expected])
    }

    @Test("5.12: a circle takes 64 members") func memberLimit() {
        var story = Story()
        for device in 1..<64 { story.write(.device(0), .admit(device)) }
        #expect(story.results.allSatisfy { $0 == .accepted })
        story.write(.device(0), .admit(64))
        #expect(story.results.last == .refused(.circleFull))
        story.write(.device(1), .leave)
        story.write(.device(0), .admit(64))
        #expect(story.results.last == .accepted)
    }

    @Test("a member names all newest statements, at most 16, and the next index") func places() throws {
        var story = Story()
        let base = story.write(.device(0), .admit(1))
        let founder = CircleParty.device(SampleParties.device(0))
        var place = try #require(story.graph.nextPlace(for: founder))
        #expect(place.index == 3 && place.parents == [story.hash(base)] && place.leftOut == [])
        #expect(place.epochNumber == .first)
        let own = story.write(.device(0), .epoch, after: [base])
        for number in 1...20 { story.write(.device(1), .settings(Int64(number)), after: [base]) }
        place = try #require(story.graph.nextPlace(for: founder))
        #expect(place.index == 4 && place.epochNumber == EpochNumber(2))
        #expect(place.parents.count == 16 && place.leftOut.count == 5)
        #expect(place.parents.contains(story.hash(own)))
        #expect(place.parents.union(place.leftOut) == story.state.statementHeads)
    }

    @Test("members that lack a share are named, recovery keys too") func missingShares() {
        var story = Story()
        story.write(.device(0), .epoch)
        #expect(story.state.missingShares == [])
        // Not knowing the epoch, so without its keys.
        story.write(.device(0), .admit(1), after: [0], index: 2)
        story.write(.device(0), .recovery(1))
        #expect(
            story.state.missingShares
                == [.device(SampleParties.device(1)), .recovery(SampleParties.recovery(1))])
        story.write(.device(0), .share(of: 1, to: 1))
        #expect(story.state.missingShares == [.recovery(SampleParties.recovery(1))])
        #expect(story.state.epochRecipients.count == 3)
        #expect(
            story.state.epochRecipients(removing: SampleParties.device(1), newKeys: SampleParties.recovery(2))
                == [.device(SampleParties.device(0)), .recovery(SampleParties.recovery(2))])
    }

    @Test("5.4: removing the device that set the recovery keys after the founding needs new ones") func newKeysNeeded()
    {
        var story = Story()
        story.write(.device(0), .admit(1))
        #expect(!story.state.needsNewRecoveryKeys(removing: SampleParties.device(0)))
        story.write(.device(1), .recovery(1))
        #expect(story.state.needsNewRecoveryKeys(removing: SampleParties.device(1)))
        #expect(!story.state.needsNewRecoveryKeys(removing: SampleParties.device(0)))
        story.write(.device(0), .remove(1, newKeys: 2))
        #expect(story.recoveryKeys == 2)
        #expect(story.state.needsNewRecoveryKeys(removing: SampleParties.device(0)))
    }

    @Test("a new epoch wraps those that no other epoch wraps") func epochsToWrap() throws {
        var (graph, _) = try circle()
        let keys = try #require(WrappedZoneKeys([UInt8](repeating: 0, count: 80)))
        let admission = Admission(keys: SampleParties.devices[1], share: nil)
        #expect(graph.insert(try statement(graph, 0, .admit(admission)), verifier: HashSignatures()) == .accepted)
        #expect(graph.epochsToWrap() == [])
        let first = try statement(graph, 0, .epoch(SampleParties.epoch(1, for: [])))
        let other = try statement(graph, 1, .epoch(SampleParties.epoch(1, for: [])))
        for epoch in [first, other] { #expect(graph.insert(epoch, verifier: HashSignatures()) == .accepted) }
        #expect(graph.epochsToWrap() == [first.hash, other.hash])
        let next = try statement(
            graph, 0, .epoch(SampleParties.epoch(2, for: [], earlier: [first.hash: keys, other.hash: keys])))
        #expect(graph.insert(next, verifier: HashSignatures()) == .accepted)
        #expect(graph.epochsToWrap() == [next.hash])
    }

    @Test("settings are those of the deepest statement that is not void") func settings() {
        var story = Story()
        let base = story.write(.device(0), .admit(1))
        story.write(.device(0), .settings(5), after: [base])
        #expect(story.state.settings.storedByteLimit == 5)
        let attack = story.write(.device(1), .settings(6), after: [base])
        story.write(.device(1), .settings(7), after: [attack])
        #expect(story.state.settings.storedByteLimit == 7)
        story.write(.device(0), .remove(1), after: [base], index: 3)
        #expect(story.state.settings.storedByteLimit == 5)
    }
}

extension Statement {
    fileprivate func testOnlySigned() throws -> SignedStatement {
        try HashSignatures.sign(self, keys: .device(SampleParties.devices[0]))
    }
}
