import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import Synchronization

/// Knows what is enrolled with the sensor, and gives it an identity that never comes back once it changed.
final class EnrolmentWatch: Sendable {
    /// What the sensor says at a moment.
    struct Look: Sendable {
        var survey: SensorSurvey
        /// Nil where nothing is enrolled, or it cannot be told.
        var set: EnrolmentSet?
        /// Why no finger counts as far as sensor and enrolment go; nil if one may.
        var rule: VerdictRule?
    }

    private struct State {
        var record: EnrolmentRecord?
        /// The last look and the sensor's generation from before it.
        var last: (generation: UInt64, look: Look)?
    }

    private let sensor: any BiometricSensor
    private let storage: any EnclaveStorage
    private let entropy: any Entropy
    /// Held while the sensor is asked: an older answer must not come after a newer one.
    private let state: Mutex<State>
    private struct Known {
        var set: EnrolmentSet?
        /// The device was erased: what is remembered in ``state`` is of the one before.
        var isOutdated = false
    }

    /// For those who must not wait for the sensor.
    private let knownNow: Mutex<Known>

    init(sensor: any BiometricSensor, storage: any EnclaveStorage, entropy: any Entropy) throws(StorageFailure) {
        self.sensor = sensor
        self.storage = storage
        self.entropy = entropy
        let record = try storage.enrolment()
        state = Mutex(State(record: record))
        knownNow = Mutex(Known(set: record?.enrolment?.set))
    }

    /// The set at the last look, without asking the sensor.
    var known: EnrolmentSet? { knownNow.withLock { $0.set } }

    /// Asks the sensor. What changed is durable before anybody hears of it.
    func look() -> Look {
        state.withLock { state in
            let isOutdated = knownNow.withLock { known in
                defer { known.isOutdated = false }
                return known.isOutdated
            }
            if isOutdated { state = State() }
            let generation = sensor.surveyGeneration
            if let generation, let last = state.last, last.generation == generation { return last.look }
            state.last = nil
            var look = Look(survey: sensor.survey())
            do throws(StorageFailure) {
                try judge(&look, &state)
                state.last = generation.map { ($0, look) }
            } catch {
                look.rule = .biometryNotAvailable
            }
            return look
        }
    }

    /// The device was erased, and its record with it. Waits for nobody.
    func forget() {
        knownNow.withLock { $0 = Known(set: nil, isOutdated: true) }
    }

    private func judge(_ look: inout Look, _ state: inout State) throws(StorageFailure) {
        let survey = look.survey
        look.rule = survey.rule
        // A sensor that cannot be asked says nothing of what is enrolled; one that can has to tell enrolments apart.
        if survey.obstacle != nil, survey.digest.isEmpty { return }
        if survey.digest.isEmpty, !survey.fingers.isEmpty {
            look.rule = .biometryNotAvailable
            return
        }
        let digest = survey.digest.isEmpty ? nil : sha256(survey.digest)
        look.set = try set(for: digest, &state)
        if look.set == nil { look.rule = look.rule ?? .biometryNotEnrolled }
    }

    private func set(for digest: [UInt8]?, _ state: inout State) throws(StorageFailure) -> EnrolmentSet? {
        if let record = state.record, record.fits(digest: digest) { return record.enrolment?.set }
        if state.record == nil, digest == nil { return nil }
        let lock = try storage.acquire()
        defer { lock.release() }
        // Another process may have seen the change before.
        var record = try storage.enrolment() ?? EnrolmentRecord(enrolment: nil)
        if !record.fits(digest: digest) {
            record.enrolment = digest.flatMap { digest in
                EnrolmentSet(entropy.bytes(EnrolmentSet.byteCount)).map { set in
                    EnrolmentRecord.Enrolment(digest: digest, set: set)
                }
            }
            try storage.replaceEnrolment(record)
        }
        state.record = record
        knownNow.withLock { if !$0.isOutdated { $0.set = record.enrolment?.set } }
        return record.enrolment?.set
    }
}
