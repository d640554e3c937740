import LatchkeySyncCore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

@testable import LatchkeySyncStore

/// The events of a folder. That they are enough for a device is tested with all stores.
@Suite("The watch of a folder") struct FolderWatchTests {
    private let directory: TemporaryDirectory
    private let place: FolderPlace
    private let writer: FolderStore
    private let watch: FolderWatch
    private let path = [FolderLayout.top, "\(StoreWorld.circle)"]

    init() throws {
        directory = try TemporaryDirectory()
        place = FolderPlace(path: directory.path)
        let devices = (one: SampleObjects.device(1), other: SampleObjects.device(2))
        writer = FolderStore(in: directory.path, circle: StoreWorld.circle, writer: devices.one)
        watch = FolderWatch(own: .head(devices.other), options: FolderOptions())
    }

    private func publish(_ number: UInt64, replacing replaced: HeadMark? = nil) throws -> HeadMark {
        try writer.publish([:], head: SampleObjects.object(.head, seed: number), replacing: replaced)
    }

    private func look() throws -> Bool { try watch.look(at: place.open(path)) }
    private func event() -> FolderWatch.Event { watch.wait(until: Cancellation(), atMost: 600) }

    @Test("a change that was reported is not one at the next look, and a later one is") func reported() throws {
        let first = try publish(1)
        #expect(try look(), "the first look")
        #expect(try !look())
        let second = try publish(2, replacing: first)
        #expect(event() == .files)
        #expect(watch.noteReported())
        #expect(try !look())
        #expect(try !look())
        let third = try publish(3, replacing: second)
        #expect(event() == .files)
        #expect(try look(), "not reported")
        // One that comes between the report and the look is an event of the next wait.
        let fourth = try publish(4, replacing: third)
        #expect(event() == .files)
        #expect(watch.noteReported())
        _ = try publish(5, replacing: fourth)
        #expect(try !look())
        #expect(event() == .files)
    }

    @Test("a new folder has to be looked at") func folders() throws {
        let first = try publish(1)
        _ = try look()
        try writer.create([.statement(SampleObjects.hash(1)): SampleObjects.object(.statement)])
        #expect(event() == .folders)
        #expect(try look())
        _ = try publish(2, replacing: first)
        try writer.create([.statement(SampleObjects.hash(1)): SampleObjects.object(.statement)])
        #expect(event() == .files)
    }
}
