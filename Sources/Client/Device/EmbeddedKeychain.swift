import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySecretMemory

/// The keychain of a device in this process, for one caller.
struct EmbeddedKeychain: Keychain {
    let device: EmbeddedDevice
    let caller: Caller

    /// A process has one caller; what runs as several apps wraps this. A child of `fork` has another service than its parent.
    var identity: ObjectIdentifier {
        (try? device.parts().service).map(ObjectIdentifier.init) ?? ObjectIdentifier(device)
    }

    func perform(_ request: ItemRequest) -> ItemReply {
        do throws(DeviceFailure) {
            return try device.parts().service.answer(request, caller, session: nil)
        } catch {
            return RemoteFailure(error).itemReply
        }
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        let service: KeychainService
        do throws(DeviceFailure) {
            service = try device.parts().service
        } catch {
            throw RemoteFailure(error).keyRefusal
        }
        return try service.ask(question, caller: caller)
    }

    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        let parts: EmbeddedParts
        do throws(DeviceFailure) {
            parts = try device.parts()
        } catch {
            throw RemoteFailure(error).deviceRefusal
        }
        if Question.traits.contains(.startsTimes) { parts.beginFollowingTime() }
        return try parts.service.ask(question, caller: caller)
    }

    func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
        let service: KeychainService
        do throws(DeviceFailure) {
            service = try device.parts().service
        } catch {
            throw RemoteFailure(error).fileKeyRefusal
        }
        return try service.ask(question, caller: caller)
    }

    func watchProtectedData() -> any ProtectedDataWatch {
        guard let parts = try? device.parts() else { return EndedWatch() }
        parts.beginFollowingTime()
        return parts.service.watchProtectedData(caller)
    }

    func watchItems() -> any ItemWatch {
        guard let service = try? device.parts().service else { return EndedItemWatch() }
        return service.watchItems(caller)
    }

    func openSession() -> any AuthenticationSession {
        do throws(DeviceFailure) {
            let service = try device.parts().service
            return EmbeddedSession(service: service, session: ServiceSession(service: service), caller: caller)
        } catch {
            return EndedSession(RemoteFailure(error).refusal)
        }
    }
}

/// An authentication context of a device in this process.
private final class EmbeddedSession: AuthenticationSession {
    private let service: KeychainService
    private let session: ServiceSession
    private let caller: Caller
    /// The process that made the session: a child of `fork` has neither the proofs nor the device that they are for.
    private let process = ProcessMark.current

    init(service: KeychainService, session: ServiceSession, caller: Caller) {
        self.service = service
        self.session = session
        self.caller = caller
    }

    deinit {
        guard process == .current else {
            // The end of the parent's session would ask its enclave, and the end of its service close its database.
            _ = unsafe Unmanaged.passRetained(session)
            _ = unsafe Unmanaged.passRetained(service)
            return
        }
        session.end()
    }

    func ask<Question: AuthenticationQuestion>(
        _ question: Question
    ) throws(AuthenticationRefusal) -> Question.Answer {
        guard process == .current else { return try EndedSession.ofParent.ask(question) }
        return try service.ask(question, caller: caller, session: session)
    }

    func perform(_ request: ItemRequest) -> ItemReply {
        guard process == .current else { return EndedSession.ofParent.perform(request) }
        return service.answer(request, caller, session: session)
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        guard process == .current else { return try EndedSession.ofParent.ask(question) }
        return try service.ask(question, caller: caller, session: session)
    }

    func end() {
        if process == .current { session.end() }
    }
}

extension KeychainService {
    /// Performs a call whose answer may have any size: it stays in this process.
    fileprivate func answer(_ request: ItemRequest, _ caller: Caller, session: ServiceSession?) -> ItemReply {
        guard request.mayFindMany else { return perform(request, caller: caller, session: session) }
        var joined = JoinedParts()
        let last = find(request, caller: caller, session: session) { part in (try? joined.add(part)) != nil }
        guard (try? joined.add(last)) != nil else { return ItemReply(code: .internalError) }
        return joined.reply
    }
}
