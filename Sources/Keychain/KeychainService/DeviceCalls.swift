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

    fileprivate func answer(_ request: DeviceRequest, _ caller: Caller, _ session: ServiceSession?) -> DeviceReply {
        switch request {
        case .status: return status(for: caller)
        case .refusals(let limit): return .refusals(refusals(limit, for: caller))
        case .endings, .endedItems:
            if let refusal = caller.refusal, !caller.isRoot { return .declined(.missingEntitlement, refusal) }
            return performEnding(request, session)
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

    /// A program that gets no groups sees only its own refusals: those of other programs would show the user's
    /// activity.
    private func refusals(_ limit: Int, for caller: Caller) -> [RefusalRecord] {
        guard caller.refusal != nil, !caller.isRoot else { return records.journal.last(limit) }
        return Array(records.journal.last(.max).lazy.filter { $0.caller == caller.name }.prefix(max(0, limit)))
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

    private func status(for caller: Caller) -> DeviceReply {
        reply(to: AskStatus()) { enclaveStatus in
            let counts = try? store.database.read { reader in
                try ItemSchema.all.reduce(into: [String: Int64]()) { counts, schema in
                    counts[schema.itemClass.rawValue] = try reader.itemCount(of: schema.itemClass)
                }
            }
            let quarantined = try? store.database.read { try $0.quarantineCount() }
            let ended = try? store.database.read { try $0.endedCounts() }
            let removesItems = try? apps.removesItems()
            return .status(
                DeviceStatus(
                    enclave: enclaveStatus, kind: kind, directory: directory, itemCounts: counts ?? [:],
                    quarantinedRows: quarantined ?? 0, damageReport: damageReport(),
                    removesItemsOfForgottenApps: removesItems ?? false, requiredLevel: teams.requiredLevel,
                    callerLevel: caller.level,
                    endedItems: (ended ?? []).map {
                        EndedItemCount(reason: $0.reason, count: $0.count, lastDate: $0.lastDate)
                    }))
        }
    }

    /// The report of damaged files; nil if there are none.
    private func damageReport() -> String? {
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
    func answer(_ request: DeviceRequest) throws(DeviceRefusal) -> DeviceReply {
        let reply = service.performWithEndings(request) { service.answer(request, caller, session) }
        switch reply {
        case .declined(let code, let refusal): throw .declined(code, refusal)
        case .refused(let refusal): throw .refused(refusal)
        default: return reply
        }
    }
}
