import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyKeychainMessages
import LatchkeyThreading

extension ScriptedPerson: BiometricSensor {
    func survey() -> SensorSurvey {
        change { $0.sensor.survey($0.sensorState) }
    }

    func match(until cancellation: Cancellation) -> SensorEvent {
        match(until: cancellation, whileWanted: { true })
    }

    /// - Parameter isWanted: asked before an answer is taken, for programs that went away a moment ago.
    func match(until cancellation: Cancellation, whileWanted isWanted: @escaping () -> Bool) -> SensorEvent {
        let wait = Wait(prompt: nil, isWanted: { !cancellation.isOver && isWanted() })
        change { $0.matches.append(wait) }
        defer { change { $0.matches.removeAll { $0 === wait } } }
        return self.wait(until: cancellation) {
            guard let event = takeTouch(for: wait) else { return nil }
            wait.isServed = true
            return event
        } ?? .ended
    }

    func enrol(
        _ finger: LatchkeyEnclaveContract.Finger, until cancellation: Cancellation, report: (EnrolmentEvent) -> Void
    ) -> EnrolmentEvent {
        if let obstacle = survey().obstacle { return .failed(obstacle) }
        report(.stage(done: 1, total: 1))
        change { $0.sensor.enrol(Finger(finger)) }
        return .completed
    }

    func remove(_ finger: LatchkeyEnclaveContract.Finger?) -> SensorObstacle? {
        if let obstacle = survey().obstacle { return obstacle }
        change { $0.sensor.remove(finger.map { Finger($0) }) }
        return nil
    }

    /// With the lock held: what the sensor feels now, if `wait` may feel it.
    private func takeTouch(for wait: Wait) -> SensorEvent? {
        guard !wait.isServed, frontMatch === wait else { return nil }
        if let obstacle = state.sensor.survey(state.sensorState).obstacle { return .unavailable(obstacle) }
        if !state.touches.isEmpty { return state.sensor.event(of: state.touches.removeFirst()) }
        guard let prompt = frontFingerPrompt, let next = state.answers.first, next.place == .sensor else { return nil }
        state.answers.removeFirst()
        switch next {
        case .match(let finger):
            let event = state.sensor.event(of: finger)
            if case .matched = event { prompt.isServed = true }
            return event
        case .unclear:
            return .unclear(.again)
        case .busy:
            return .unavailable(.busy)
        case .unplug:
            state.sensorState = .unplugged
            return .unavailable(.disconnected)
        default:
            return .notMatched
        }
    }

    /// The prompt that the sensor's wait belongs to: one finger is waited for at a time, in the order of asking.
    var frontFingerPrompt: Wait? {
        state.prompts.first { $0.prompt?.kind == .finger && !$0.isServed && $0.isWanted() }
    }

    var frontMatch: Wait? {
        state.matches.last { !$0.isServed && $0.isWanted() }
    }
}
