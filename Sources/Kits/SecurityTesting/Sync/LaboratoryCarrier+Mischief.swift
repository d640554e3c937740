import LatchkeySyncStore
import Synchronization

/// The mischief of a store, as far as the threat model allows it.
extension LaboratoryCarrier {
    func capture() -> SyncLaboratory.Capture {
        state.withLock { state in
            SyncLaboratory.Capture(
                objects: state.versions.sorted { $0.key < $1.key }.compactMap { $0.value.last?.bytes },
                versions: state.versions)
        }
    }

    func replace(by capture: SyncLaboratory.Capture) {
        state.withLock { state in
            state.versions = capture.versions
            state.repetitions = []
            state.news = Set(state.readers)
            // A device that came later sees what the others see.
            state.spread(at: log.now, delays: false)
        }
    }

    /// Forgets all versions but some.
    func keep(where isKept: (Version) -> Bool) {
        state.withLock { state in
            state.versions = state.versions.mapValues { $0.filter(isKept) }.filter { !$0.value.isEmpty }
            state.repetitions = []
            state.news = Set(state.readers)
        }
    }

    func withhold(_ writers: [String], from reader: String) {
        state.withLock { $0.withheld[reader, default: []].formUnion(writers) }
    }

    func stopWithholding() {
        state.withLock { state in
            state.withheld = [:]
            state.news = Set(state.readers)
        }
    }

    /// Replaces objects for every device that sees them; nil loses them.
    /// - Returns: the number of objects.
    func change(
        _ isMeant: (StoreObjectName) -> Bool, _ body: ([UInt8], inout SeededNumbers) -> [UInt8]?
    ) -> Int {
        state.withLock { state in
            let meant = state.versions.keys.filter(isMeant).sorted()
            var count = 0
            for name in meant {
                guard let bytes = state.versions[name]?.last?.bytes else { continue }
                count += 1
                var version = Version(
                    number: state.versionCount, bytes: body(bytes, &state.numbers), writer: nil, writtenAt: log.now)
                for reader in state.readers { version.arrivals[reader] = log.now }
                state.append(version, as: name)
            }
            state.news = Set(state.readers)
            return count
        }
    }
}
