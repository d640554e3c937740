/// Requests and replies for callers that do not ask questions yet.
extension EnclaveMailbox {
    package func perform(_ request: EnclaveRequest) -> EnclaveReply {
        do throws(EnclaveRefusal) {
            return try reply(to: request)
        } catch {
            return .refused(error)
        }
    }

    private func reply(to request: EnclaveRequest) throws(EnclaveRefusal) -> EnclaveReply {
        switch request {
        case .status: return .status(try ask(AskStatus()))
        case .setPasscode(let new): return try done(SetPasscode(new))
        case .changePasscode(let current, let new): return try done(ChangePasscode(from: current, to: new))
        case .removePasscode(let current): return try done(RemovePasscode(current))
        case .unlock(let passcode): return try done(UnlockDevice(passcode))
        case .verifyPasscode(let passcode): return try done(VerifyPasscode(passcode))
        case .lock(let immediately): return try done(LockDevice(immediately: immediately))
        case .erase(let passcode): return try done(EraseDevice(passcode: passcode))
        case .configure(let passcode, let eraseAfterTenFailures, let gracePeriodSeconds, let lockAfterSeconds):
            return try done(
                ConfigureDevice(
                    passcode: passcode, eraseAfterTenFailures: eraseAfterTenFailures,
                    gracePeriodSeconds: gracePeriodSeconds, lockAfterSeconds: lockAfterSeconds))
        case .passcodeCost: return .passcodeCost(secondsPerTry: try ask(MeasurePasscodeCost()).seconds)
        case .createKey(let keyClass, let use, let binding):
            return Self.reply(try ask(CreateKey(keyClass, use, binding: binding))) {
                .created(key: $0.key, wrapped: $0.wrapped)
            }
        case .createKeys(let keyClass, let use, let binding, let count, let context):
            let question = CreateKeys(keyClass, use, binding: binding, count: count, context: context)
            return Self.reply(try ask(question)) { .createdKeys($0) }
        case .unwrapKeys(let keys, let context): return .keys(try ask(UnwrapKeys(keys, context: context)))
        case .waitForChange(let epoch): return .changed(epoch: try ask(AwaitKeyChange(after: epoch)).value)
        case .context(let request): return .context(try reply(to: request))
        case .biometry(let request): return .biometry(try reply(to: request))
        case .key(let request): return try reply(to: request)
        }
    }

    private func done(_ question: some EnclaveQuestion<Done>) throws(EnclaveRefusal) -> EnclaveReply {
        _ = try ask(question)
        return .done
    }

    private static func reply<Made>(
        _ answer: Result<Made, KeyRefusal>, _ made: (Made) -> EnclaveReply
    ) -> EnclaveReply {
        switch answer {
        case .success(let value): made(value)
        case .failure(let refusal): .createRefused(refusal)
        }
    }

    private func reply(to request: ContextRequest) throws(EnclaveRefusal) -> ContextReply {
        switch request {
        case .open:
            switch try ask(OpenContext()) {
            case .opened(let context): return .opened(context)
            case .tooMany: return .tooMany
            }
        case .close(let context): return Self.reply(try ask(CloseContext(context)))
        case .allowReuse(let seconds, let context):
            return Self.reply(try ask(AllowReuse(seconds: seconds, in: context)))
        case .assess(let demand, let context):
            guard case .known(let verdict) = try ask(AssessDemand(demand, in: context)) else { return .unknown }
            return .verdict(verdict)
        case .matchFinger(let seconds, let context):
            guard case .known(let outcome) = try ask(MatchFinger(seconds: seconds, in: context)) else {
                return .unknown
            }
            return .match(outcome)
        case .cancelMatch(let context): return Self.reply(try ask(CancelMatch(context)))
        case .offerPasscode(let passcode, let context):
            return Self.reply(try ask(OfferPasscode(passcode, to: context)))
        case .setApplicationPassword(let password, let context):
            return Self.reply(try ask(SetApplicationPassword(password, in: context)))
        case .bind(let accessControl):
            switch try ask(BindAccessControl(accessControl)) {
            case .bound(let bound): return .bound(bound)
            case .notBound(let rule): return .notBound(rule)
            }
        }
    }

    private static func reply(_ answer: ContextAnswer<Done>) -> ContextReply {
        if case .known = answer { .done } else { .unknown }
    }

    private func reply(to request: FingerRequest) throws(EnclaveRefusal) -> FingerReply {
        switch request {
        case .status: return .status(try ask(AskBiometry()))
        case .beginEnrolment(let finger, let passcode):
            _ = try ask(BeginEnrolment(of: finger, passcode: passcode))
        case .continueEnrolment: return .enrolment(try ask(ContinueEnrolment()))
        case .cancelEnrolment: _ = try ask(CancelEnrolment())
        case .removeFinger(let finger, let passcode):
            if case .failed(let obstacle) = try ask(RemoveFinger(finger, passcode: passcode)) {
                return .removalFailed(obstacle)
            }
        case .unlockWithFinger(let seconds): return .match(try ask(UnlockWithFinger(seconds: seconds)))
        case .cancelUnlock: _ = try ask(CancelUnlock())
        case .lockRemotely: _ = try ask(LockRemotely())
        }
        return .done
    }

    private func reply(to request: EnclaveKeyRequest) throws(EnclaveRefusal) -> EnclaveReply {
        switch request {
        case .create(let key, let accessControl, let context):
            switch try ask(MakeKey(key, under: accessControl, context: context)) {
            case .created(let blob, let publicKey): return .key(.created(blob: blob, publicKey: publicKey))
            case .refused(let refusal): return .key(.refused(refusal))
            case .notBound(let rule): return .context(.notBound(rule))
            }
        case .sign(let blob, let digest, let context):
            return .key(Self.reply(try ask(SignDigest(digest, with: blob, context: context))))
        case .signMessage(let blob, let message, let contextString, let context):
            let question = SignMessage(message, contextString: contextString, with: blob, context: context)
            return .key(Self.reply(try ask(question)))
        case .agree(let blob, let peer, let context):
            return .key(Self.reply(try ask(AgreeOnKey(with: peer, by: blob, context: context))))
        case .decapsulate(let blob, let ciphertext, let context):
            return .key(Self.reply(try ask(Decapsulate(ciphertext, with: blob, context: context))))
        case .describe(let blobs): return .key(.described(try ask(DescribeKeys(blobs))))
        case .delete(let blobs):
            _ = try ask(DeleteKeys(blobs))
            return .key(.done)
        }
    }

    private static func reply(_ answer: SignatureAnswer) -> EnclaveKeyReply {
        switch answer {
        case .signed(let signature): .signature(signature)
        case .refused(let refusal): .refused(refusal)
        case .otherKind(let kind): .otherKind(kind)
        }
    }

    private static func reply(_ answer: KeyExchangeAnswer) -> EnclaveKeyReply {
        switch answer {
        case .agreed(let secret): .agreed(secret)
        case .refused(let refusal): .refused(refusal)
        case .otherKind(let kind): .otherKind(kind)
        case .badInput(.p256): .badPeer
        case .badInput(let kind): .badCiphertext(kind)
        }
    }
}
