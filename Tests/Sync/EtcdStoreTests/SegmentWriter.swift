import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import Testing

/// A device that publishes one segment after the other, each with its next head.
struct SegmentWriter {
    let device: DeviceIdentifier
    var store: (any SyncStore)?
    /// The head that was acknowledged last.
    private(set) var mark: HeadMark?
    /// The number of segments that were acknowledged.
    private var count: UInt64 = 0
    /// The failures of all calls.
    private(set) var failures = 0

    init(_ store: (any SyncStore)? = nil, _ device: DeviceIdentifier) {
        self.store = store
        self.device = device
    }

    init(_ device: DeviceIdentifier) { self.init(nil, device) }

    /// The numbers of the segments that were acknowledged.
    var written: ClosedRange<UInt64> { 1...count }

    var head: StoreObjectName { .head(device) }

    func segment(_ number: UInt64) -> StoreObjectName { SampleObjects.segment(number, of: device) }

    private func bytes(_ number: UInt64) -> [UInt8] { SampleObjects.object(.segment, seed: number) }

    /// Publishes the next segment, or tries it again. Returns the failure; nil if it is published.
    mutating func publish() -> StoreFailure? {
        guard let store else { preconditionFailure("a writer has a store") }
        do throws(StoreFailure) {
            mark = try store.publish(
                [segment(count + 1): bytes(count + 1)], head: SampleObjects.object(.head, seed: count + 1),
                replacing: mark)
            count += 1
            return nil
        } catch {
            failures += 1
            return error
        }
    }

    /// Repeats the call for as long as the store does not answer. Every other failure is one of the test.
    mutating func publishPersistently() {
        while let failure = publish() {
            guard case .unreachable = failure else {
                Issue.record("segment \(count + 1): \(failure)")
                return
            }
        }
    }

    /// Returns true if the store has this segment.
    func isWhole(_ number: UInt64, in store: any SyncStore) throws(StoreFailure) -> Bool {
        try store.read([segment(number)]).objects[segment(number)] == bytes(number)
    }

    /// Returns true if the store has every segment that was acknowledged, and the last head.
    func isWhole(in store: any SyncStore) throws(StoreFailure) -> Bool {
        let reading = try store.readAll(written.map(segment) + [head])
        return reading.objects[head].map { HeadMark(of: $0) } == mark
            && written.allSatisfy { reading.objects[segment($0)] == bytes($0) }
    }
}
