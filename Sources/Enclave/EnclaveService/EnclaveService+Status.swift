package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeyThreading

/// Questions about the device that do not change it.
extension EnclaveService {
    package func answer(_ question: MeasurePasscodeCost) -> PasscodeTryCost {
        PasscodeTryCost(seconds: calibration.cost(for: passcodeCost).secondsPerTry)
    }

    /// The process that serves this object knows whether its file is another one by now.
    package func answer(_ question: AskRevision) -> EnclaveRevision { EnclaveRevision(isReplaced: false) }

    package func answer(_ question: AskLoad) -> EnclaveLoad {
        EnclaveLoad(contexts: contexts.count, cachedKeys: openedKeys.count)
    }

    package func answer(_ question: AwaitKeyChange) -> KeyEpoch {
        KeyEpoch(signal.waitForEpoch(otherThan: question.epoch))
    }

    /// Reads tries that other processes counted, unless a passcode operation of this process is running.
    private func followAttempts() {
        guard let stored = storage.attemptsGeneration(), state.withLock({ $0.stored.attempts != stored }) else {
            return
        }
        _ = operations.withLockIfAvailable { _ in
            guard let written = try? storage.attempts() else { return }
            let uptime = clock.uptime()
            state.withLock { state in
                state.counter.follow(written, boot: storage.boot, uptime: uptime)
                state.stored.attempts = stored
            }
        }
    }

    package func answer(_ question: AskStatus) -> EnclaveStatus {
        followAttempts()
        let uptime = clock.uptime()
        return state.withLock { state in
            EnclaveStatus(
                lockState: state.phase.lockState,
                hasPasscode: state.keybag.hasPasscode,
                failedAttempts: min(state.counter.record.failures, AttemptDelay.limit),
                secondsUntilNextAttempt: state.counter.secondsLeft(uptime: uptime),
                isDisabled: state.counter.isExhausted,
                eraseAfterTenFailures: state.keybag.settings.eraseAfterTenFailures,
                gracePeriodSeconds: state.keybag.settings.gracePeriodSeconds,
                graceSecondsLeft: state.phase.graceEnd.map { max(0, $0 - uptime) },
                keyEpoch: signal.epoch,
                rootOfTrust: storage.rootOfTrust,
                keybagUUID: state.keybag.uuid,
                lockAfterSeconds: state.keybag.settings.lockAfterSeconds,
                passcodeStrength: state.keybag.passcodeParameters?.strength,
                secondsPerTry: state.keybag.passcodeParameters?.tryMicroseconds.map { Double($0) / 1_000_000 })
        }
    }
}
