import LatchkeySyncStore
import Synchronization

extension SyncLaboratory {
    /// The store of a laboratory in the hands of its operator, who may do to it what the threat model allows. The devices notice it with
    /// the next ``SyncLaboratory/settle()``.
    public struct Store: Sendable {
        let carrier: LaboratoryCarrier
        let laboratory: SyncLaboratory
    }

    /// The store, for the tests that are about a bad one.
    public var store: Store { Store(carrier: carrier, laboratory: self) }

    /// Some objects of the store.
    public struct Objects: Sendable {
        let contains: @Sendable (StoreObjectName, (StoreObjectName) -> VirtualDevice?) -> Bool

        /// Everything.
        public static let all = Objects { _, _ in true }
        /// The facts about who is in the circle.
        public static let statements = Objects { name, _ in if case .statement = name { true } else { false } }

        /// The head of a device, which tells the others what it wrote and knows.
        public static func head(of device: VirtualDevice) -> Objects {
            Objects { name, writer in if case .head = name { writer(name) == device } else { false } }
        }

        /// The changes of items that a device published.
        public static func segments(of device: VirtualDevice) -> Objects {
            Objects { name, writer in if case .segment = name { writer(name) == device } else { false } }
        }

        /// The whole states of all items that a device published for devices that join.
        public static func snapshots(of device: VirtualDevice) -> Objects {
            Objects { name, writer in if case .snapshotPart = name { writer(name) == device } else { false } }
        }

        /// Everything that a device alone writes.
        public static func written(by device: VirtualDevice) -> Objects {
            Objects { name, writer in writer(name) == device }
        }
    }

    /// A copy of what the store has.
    public struct Capture: Sendable {
        /// The bytes of each object, as the operator of the store sees them.
        public let objects: [[UInt8]]
        let versions: [StoreObjectName: [LaboratoryCarrier.Version]]

        /// True if some object has these bytes in it as they are.
        public func contains(_ bytes: some Sequence<UInt8>) -> Bool {
            let needle = Array(bytes)
            guard let first = needle.first else { return true }
            return objects.contains { object in
                object.indices.contains { object[$0] == first && object[$0...].starts(with: needle) }
            }
        }
    }
}

extension SyncLaboratory.Store {
    /// Copies everything, as an operator may who keeps all data for later.
    public func capture() -> SyncLaboratory.Capture { carrier.capture() }

    /// Forgets what was written in the last time: the store shows all devices what it had then.
    public func rollBack(by duration: Duration) {
        let time = laboratory.log.now - duration
        laboratory.log.note("the store goes back by \(duration)")
        carrier.keep { $0.writtenAt <= time }
    }

    /// Shows all devices what the store had when the copy was made.
    public func rollBack(to capture: SyncLaboratory.Capture) {
        laboratory.log.note("the store goes back to a copy")
        carrier.replace(by: capture)
    }

    /// Shows all devices what the store had at a mark.
    public func rollBack(to mark: SyncLaboratory.Mark) { rollBack(to: mark.store) }

    /// Hides from a device what another one writes, until ``stopWithholding()``. Facts about members are not hidden.
    ///
    /// - Parameter writer: nil for all other devices. The reader cannot tell that from devices that are switched off.
    public func withhold(from reader: VirtualDevice, writtenBy writer: VirtualDevice? = nil) {
        let readerName = laboratory.name(of: reader)
        let writers =
            if let writer { [laboratory.name(of: writer)] } else {
                laboratory.members.map(\.name).filter { $0 != readerName }
            }
        carrier.withhold(writers, from: readerName)
        laboratory.log.note("the store withholds \(writers.joined(separator: ", ")) from \(readerName)")
    }

    public func stopWithholding() {
        carrier.stopWithholding()
        laboratory.log.note("the store withholds nothing any more")
    }

    /// Loses objects.
    public func lose(_ objects: SyncLaboratory.Objects) {
        let count = carrier.change(selection(objects)) { _, _ in nil }
        laboratory.log.note("the store loses \(count) objects")
    }

    /// Alters one bit of each of the objects.
    public func corrupt(_ objects: SyncLaboratory.Objects) {
        let count = carrier.change(selection(objects)) { bytes, numbers in
            var bytes = bytes
            guard !bytes.isEmpty else { return bytes }
            let bit = Int.random(in: 0..<8 * bytes.count, using: &numbers)
            bytes[bit / 8] ^= 1 << (bit % 8)
            return bytes
        }
        laboratory.log.note("the store alters \(count) objects")
    }

    private func selection(_ objects: SyncLaboratory.Objects) -> (StoreObjectName) -> Bool {
        let identities = laboratory.state.withLock { $0.identities }
        return { name in objects.contains(name) { $0.writer.flatMap { identities[$0] } } }
    }
}
