import LatchkeyAuditLog
import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import Synchronization

/// The owner's requests about the device itself.
extension KeychainService {
    package func perform(
        _ request: DeviceRequest, caller: Caller, session: ServiceSession? = nil
    ) -> DeviceReply {
        do throws(DeviceRefusal) {
            return try ask(request, caller: caller, session: session)
        } catch {
            return DeviceReply(error)
        }
    }

    fileprivate func answer(_ request: DeviceRequest) -> DeviceReply {
        switch request {
        case .setPasscode(let new): return done(SetPasscode(new))
        case .changePasscode(let current, let new): return done(ChangePasscode(from: current, to: new))
        case .removePasscode(let current): return done(RemovePasscode(current))
        case .unlock(let passcode): return done(UnlockDevice(passcode))
        case .lock(let immediately): return done(LockDevice(immediately: immediately))
        case .configure(let passcode, let erase, let grace, let lockAfter):
            return done(
                ConfigureDevice(
                    passcode: passcode, eraseAfterTenFailures: erase, gracePeriodSeconds: grace,
                    lockAfterSeconds: lockAfter))
        case .passcodeCost:
            return reply(to: MeasurePasscodeCost()) { .passcodeCost(secondsPerTry: $0.seconds) }
        case .erase(let passcode):
            let reply = done(EraseDevice(passcode: passcode))
            if case .done = reply { forgetErasedItems() }
            return reply
        case .biometry(let request): return biometry(request.enclaveQuestion)
        }
    }

    private func done(_ question: some EnclaveQuestion) -> DeviceReply { changed(question) { _ in .done } }

    private func biometry(_ question: some EnclaveQuestion) -> DeviceReply {
        changed(question) { BiometryReply($0).map { .biometry($0) } ?? .done }
    }

    /// Asks for something that may end keys, or the device's items.
    private func changed<Question: EnclaveQuestion>(
        _ question: Question, _ made: (Question.Answer) -> DeviceReply
    ) -> DeviceReply {
        // Keys that were locked away must not stay in memory until the next call.
        defer { keysMayHaveChanged() }
        return reply(to: question, made)
    }

    private func reply<Question: EnclaveQuestion>(
        to question: Question, _ made: (Question.Answer) -> DeviceReply
    ) -> DeviceReply {
        do throws(EnclaveRefusal) {
            return made(try enclave.ask(question))
        } catch {
            noticeErase(error)
            return .refused(error)
        }
    }

    /// The report of damaged files; nil if there are none.
    fileprivate func damageReport() -> String? {
        let reports = [store.damageReport, records.audit.report].compactMap { $0 }
        return reports.isEmpty ? nil : reports.joined(separator: "\n")
    }

    /// The tenth failed try may have erased the device.
    func noticeErase(_ refusal: EnclaveRefusal) {
        if refusal == .erased { forgetErasedItems() }
    }

    /// After an erase no key opens any row: they go, and the device starts anew under the new keybag.
    private func forgetErasedItems() {
        guard let status = try? enclave.ask(AskStatus()) else { return }
        try? store.database.write { writer in
            try writer.deleteEverything()
            try writer.setDeviceKey(status.keybagUUID, named: Self.keybagName)
        }
        keysChanged()
        registriesChanged()
    }

    private static let keybagName = "keybag"

    /// An erase that was cut short after the enclave forgot its keys: the database still names the old keybag.
    func finishInterruptedErase() throws(KeychainOpenFailure) {
        guard let status = try? enclave.ask(AskStatus()) else {
            throw KeychainOpenFailure("The enclave does not answer. Look at its messages, then start again.")
        }
        do {
            let known = try store.database.read { try $0.deviceKey(named: Self.keybagName) }
            if known == status.keybagUUID { return }
            try store.database.write { writer in
                if known != nil { try writer.deleteEverything() }
                try writer.setDeviceKey(status.keybagUUID, named: Self.keybagName)
            }
        } catch {
            let reason = failure(error).refusal?.reason ?? ""
            throw KeychainOpenFailure("The keychain cannot be prepared. \(reason)")
        }
    }
}

extension DeviceDesk {
    func answer(_ question: DescribeDevice) throws(DeviceRefusal) -> DeviceStatus {
        let enclave = try enclaveStatus()
        let database = service.store.database
        let counts = try? database.read { reader in
            try ItemSchema.all.reduce(into: [String: Int64]()) { counts, schema in
                counts[schema.itemClass.rawValue] = try reader.itemCount(of: schema.itemClass)
            }
        }
        let quarantined = try? database.read { try $0.quarantineCount() }
        let ended = try? database.read { try $0.endedCounts() }
        let removesItems = try? service.apps.removesItems()
        return DeviceStatus(
            enclave: enclave, kind: service.kind, directory: service.directory, itemCounts: counts ?? [:],
            quarantinedRows: quarantined ?? 0, damageReport: service.damageReport(),
            removesItemsOfForgottenApps: removesItems ?? false, requiredLevel: service.teams.requiredLevel,
            callerLevel: caller.level,
            endedItems: (ended ?? []).map {
                EndedItemCount(reason: $0.reason, count: $0.count, lastDate: $0.lastDate)
            })
    }

    private func enclaveStatus() throws(DeviceRefusal) -> EnclaveStatus {
        do throws(EnclaveRefusal) {
            return try service.enclave.ask(AskStatus())
        } catch {
            service.noticeErase(error)
            throw .refused(error)
        }
    }

    /// A program that gets no groups sees only its own refusals: those of other programs would show the user's
    /// activity.
    func answer(_ question: ListRefusals) throws(DeviceRefusal) -> [RefusalRecord] {
        guard caller.refusal != nil, !caller.isRoot else { return service.records.journal.last(question.limit) }
        let own = service.records.journal.last(.max).lazy.filter { $0.caller == caller.name }
        return Array(own.prefix(max(0, question.limit)))
    }

    func answer(_ request: DeviceRequest) throws(DeviceRefusal) -> DeviceReply {
        let reply = service.performWithEndings(request) { service.answer(request) }
        switch reply {
        case .declined(let code, let refusal): throw .declined(code, refusal)
        case .refused(let refusal): throw .refused(refusal)
        default: return reply
        }
    }
}
