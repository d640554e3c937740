import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyThreading

/// Watches the fingers enrolled with the sensor. Each change gets a new enrolment set, which is never used again.
final class EnrolmentWatch: Sendable {
    /// The state of the sensor at one time.
    struct Look: Sendable {
        var survey: SensorSurvey
        /// Nil if nothing is enrolled or the enrolment is unknown.
        var set: EnrolmentSet?
        /// The rule that says why fingers are not accepted, for reasons of the sensor or the enrolment; nil if they
        /// are.
        var rule: VerdictRule?
    }

    private struct State {
        var record: EnrolmentRecord?
        /// The last look, and the sensor's generation from before it.
        var last: (generation: UInt64, look: Look)?
    }

    private let sensor: any BiometricSensor
    private let storage: any EnclaveStorage
    private let entropy: any Entropy
    /// Held while the sensor is surveyed, so that an older result cannot replace a newer one.
    private let state: ForkMutex<State>
    private struct Known {
        var set: EnrolmentSet?
        /// True if the device was erased and ``state`` is that of the former device.
        var isOutdated = false
    }

    /// For callers that must not wait for the sensor.
    private let knownNow: ForkMutex<Known>

    init(sensor: any BiometricSensor, storage: any EnclaveStorage, entropy: any Entropy) throws(StorageFailure) {
        self.sensor = sensor
        self.storage = storage
        self.entropy = entropy
        let record = try storage.enrolment()
        state = ForkMutex(State(record: record))
        knownNow = ForkMutex(Known(set: record?.enrolment?.set))
    }

    /// The set at the last look. Does not use the sensor.
    var known: EnrolmentSet? { knownNow.withLock { $0.set } }

    /// Surveys the sensor. A change is on disk before it is returned.
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

    /// Notes that the device and its enrolment record were erased. Does not wait.
    func forget() {
        knownNow.withLock { $0 = Known(set: nil, isOutdated: true) }
    }

    private func judge(_ look: inout Look, _ state: inout State) throws(StorageFailure) {
        let survey = look.survey
        look.rule = survey.rule
        // A sensor with an obstacle and no digest gives no information on the enrolment. A working sensor must
        // distinguish enrolments.
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
        // Another process may have recorded the change already.
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
