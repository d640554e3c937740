import Synchronization

@_implementationOnly import CLatchkeyShims

/// Who wants to hear of uses of `CommonCrypto`.
package protocol CryptoListener: Sendable {
    /// Called on the thread and in the task of the call.
    func hear(_ use: ObservedUse)
}

extension CryptoWatch {
    private static let listeners = Mutex<[Int: any CryptoListener]>([:])
    private static let nextNumber = Atomic(0)

    /// From now on `listener` hears everything, until ``forget(_:)`` is called with the number.
    package static func listen(_ listener: any CryptoListener) -> Int {
        let number = nextNumber.add(1, ordering: .relaxed).newValue
        listeners.withLock { $0[number] = listener }
        lk_findings_begin()
        return number
    }

    package static func forget(_ number: Int) {
        guard listeners.withLock({ $0.removeValue(forKey: number) }) != nil else { return }
        lk_findings_end()
    }

    /// Not inlined, so that nothing but the question whether anybody listens is in the way of those who do not.
    @inline(never)
    static func tell(_ use: ObservedUse) {
        if lk_findings_logged() { FindingsLog.shared.hear(use) }
        for listener in listeners.withLock({ $0.values.map(\.self) }) { listener.hear(use) }
    }
}
