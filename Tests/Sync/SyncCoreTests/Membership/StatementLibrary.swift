import LatchkeyTestSupport

@testable import LatchkeySyncCore

/// A party by number.
enum Writer: Hashable {
    case device(Int)
    case recovery(Int)

    var party: CircleParty {
        switch self {
        case .device(let number): .device(SampleParties.device(number))
        case .recovery(let number): .recovery(SampleParties.recovery(number))
        }
    }
}

/// The body of a statement, in numbers.
enum Deed: Hashable {
    case found
    case admit(Int)
    case remove(Int, newKeys: Int? = nil)
    case leave
    case epoch
    /// Of the epoch of a statement, to a device.
    case share(of: Int, to: Int)
    case recovery(Int)
    case settings(Int64)
}

/// Statements by number, each once: equal author, deed and parents give the same statement. The founding is number 0.
struct StatementLibrary {
    struct Entry {
        let author: Writer
        let deed: Deed
        /// In ascending order.
        let parents: [Int]
        /// In ascending order.
        let past: [Int]
        let depth: Int
        let index: Int
        let epochNumber: UInt32
        /// The devices that receive keys in this statement, and the statement of the epoch.
        let recipients: [Int]
        let sharedEpoch: Int?
        /// The statement that set the recovery keys that were current before, and the device that owns those which this one sets.
        let keySetter: Int
        let keyOwner: Int?
        let word: UInt64
        let verified: VerifiedStatement

        /// The device that the statement makes a member.
        var admitted: Int? {
            switch deed {
            case .found: 0
            case .admit(let device): device
            default: nil
            }
        }

        var newKeys: Int? {
            switch deed {
            case .found: 0
            case .remove(_, let newKeys): newKeys
            case .recovery(let keys): keys
            default: nil
            }
        }

        var hasEpoch: Bool {
            switch deed {
            case .epoch, .remove: true
            default: false
            }
        }
    }

    private struct Content: Hashable {
        let author: Writer
        let deed: Deed
        let parents: [Int]
        let index: Int?
        let recipients: [Int]?
    }

    private(set) var entries: [Entry] = []
    private var numbers: [Content: Int] = [:]
    private var numbersByWord: [UInt64: Int] = [:]

    init() {
        guard let hash = Self.hash(0), let statement = try? Statement(founding: SampleParties.founding, date: 0) else {
            preconditionFailure("the founding is valid")
        }
        entries.append(
            Entry(
                author: .device(0), deed: .found, parents: [], past: [], depth: 0, index: 1, epochNumber: 0,
                recipients: [],
                sharedEpoch: nil, keySetter: 0, keyOwner: nil, word: 0,
                verified: VerifiedStatement(testOnlyUnsigned: statement, hash: hash)))
    }

    var founding: VerifiedStatement { entries[0].verified }

    /// Returns the number of a statement. Index, number of the epoch and recipients follow from the past, unless they are given.
    mutating func add(
        _ author: Writer, _ deed: Deed, after parents: [Int], index givenIndex: Int? = nil,
        recipients given: [Int]? = nil
    ) -> Int {
        let parents = parents.sorted()
        let content = Content(author: author, deed: deed, parents: parents, index: givenIndex, recipients: given)
        if let known = numbers[content] { return known }
        let past = Set(parents + parents.flatMap { entries[$0].past }).sorted()
        let last = past.filter { entries[$0].author == author }.map { entries[$0].index }.max() ?? 0
        let index = givenIndex ?? last + 1
        let before = ReferenceMembership(library: self, set: past)
        let lastEpoch = past.map { entries[$0].epochNumber }.max() ?? 0
        let setter = before.keySetter
        let keys = entries[setter].newKeys ?? 0
        let owner: Int? =
            switch author {
            case .device(let device): device
            case .recovery: entries[setter].keyOwner
            }
        var (epochNumber, recipients, shared): (UInt32, [Int], Int?) = (0, [], nil)
        let body: StatementBody
        switch deed {
        case .found:
            preconditionFailure("there is one founding")
        case .admit(let device):
            shared = before.writingEpoch
            if shared != nil { recipients = [device] }
            let share = shared.map { Admission.Share(epoch: entries[$0].verified.hash, shares: SampleParties.shares) }
            body = .admit(Admission(keys: SampleParties.devices[device], share: share))
        case .remove(let device, let newKeys):
            epochNumber = lastEpoch + 1
            recipients = given ?? before.members.subtracting([device]).sorted()
            body = .remove(
                Removal(
                    device: SampleParties.device(device), counted: CountedSegments(a: UInt64(past.count), c: 1),
                    erases: false, epoch: Self.epoch(epochNumber, recipients, newKeys ?? keys),
                    recovery: newKeys.map { SampleParties.recoveries[$0] }))
        case .leave:
            body = .leave(Leave(counted: CountedSegments(a: 1_000, c: UInt64(past.count))))
        case .epoch:
            epochNumber = lastEpoch + 1
            recipients = given ?? before.members.sorted()
            body = .epoch(Self.epoch(epochNumber, recipients, keys))
        case .share(let epoch, let device):
            (shared, recipients) = (epoch, [device])
            let shares = [CircleParty.device(SampleParties.device(device)): SampleParties.shares]
            guard let sharing = try? Sharing(epoch: entries[epoch].verified.hash, shares: shares) else {
                preconditionFailure("one share fits")
            }
            body = .share(sharing)
        case .recovery(let keys):
            body = .recovery(RecoveryReplacement(keys: SampleParties.recoveries[keys]))
        case .settings(let limit):
            guard let settings = try? CircleSettings(storedByteLimit: limit) else { preconditionFailure("positive") }
            body = .settings(settings)
        }
        let word = Self.word(content, index, parents.map { entries[$0].word }, recipients)
        // The given recipients can be those that follow from the past.
        if let known = numbersByWord[word] { return known }
        guard let hash = Self.hash(word),
            let statement = try? Statement(
                circle: founding.circle, author: author.party, index: index,
                parents: Set(parents.map { entries[$0].verified.hash }), date: 0, body: body)
        else { preconditionFailure("the statement is well formed") }
        numbers[content] = entries.count
        numbersByWord[word] = entries.count
        entries.append(
            Entry(
                author: author, deed: deed, parents: parents, past: past,
                depth: (parents.map { entries[$0].depth }.max() ?? 0) + 1, index: index,
                epochNumber: epochNumber, recipients: recipients,
                sharedEpoch: epochNumber > 0 ? entries.count : shared, keySetter: setter, keyOwner: owner, word: word,
                verified: VerifiedStatement(testOnlyUnsigned: statement, hash: hash)))
        return entries.count - 1
    }

    /// Returns a number for a content that does not depend on the order in which a library got its statements.
    private static func word(_ content: Content, _ index: Int, _ parents: [UInt64], _ recipients: [Int]) -> UInt64 {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        func mix(_ value: Int) {
            // Parents are such words themselves, so a single step could cancel out.
            var (inner, outer) = (SplitMix(seed: UInt64(bitPattern: Int64(value))), state)
            outer &+= inner.next()
            var next = SplitMix(seed: outer)
            state = next.next()
        }
        switch content.author {
        case .device(let number): mix(number)
        case .recovery(let number): mix(-1 - number)
        }
        mix(index)
        switch content.deed {
        case .found: mix(1)
        case .admit(let device): [2, device].forEach(mix)
        case .remove(let device, let keys): [3, device, keys ?? -1].forEach(mix)
        case .leave: mix(4)
        case .epoch: mix(5)
        case .share(let epoch, let device): [6, epoch, device].forEach(mix)
        case .recovery(let keys): [7, keys].forEach(mix)
        case .settings(let limit): [8, Int(limit)].forEach(mix)
        }
        mix(recipients.count)
        recipients.forEach(mix)
        for parent in parents { mix(Int(truncatingIfNeeded: parent)) }
        return state
    }

    private static func hash(_ word: UInt64) -> ObjectHash? {
        var random = SplitMix(seed: word)
        let words = [random.next(), random.next(), random.next(), random.next()]
        return ObjectHash(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } })
    }

    private static func epoch(_ number: UInt32, _ devices: [Int], _ keys: Int) -> Epoch {
        SampleParties.epoch(
            number, for: devices.map { .device(SampleParties.device($0)) } + [.recovery(SampleParties.recovery(keys))])
    }
}
