import LatchkeyThreading

import struct Synchronization.Atomic

@_implementationOnly import CLatchkeyShims

/// An observer of uses of `CommonCrypto`.
package protocol CryptoListener: Sendable {
    /// Called on the thread and in the task of the call.
    func hear(_ use: ObservedUse)
}

extension CryptoWatch {
    private static let listeners = ForkMutex<[Int: any CryptoListener]>([:])
    private static let nextNumber = Atomic(0)

    /// Reports every use to `listener`, until ``forget(_:)`` is called with the number.
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

    /// Not inlined, so that processes without an observer only pay for the check whether there is one.
    @inline(never)
    static func tell(_ use: ObservedUse) {
        if lk_findings_logged() { FindingsLog.shared.hear(use) }
        for listener in listeners.withLock({ $0.values.map(\.self) }) { listener.hear(use) }
    }
}
