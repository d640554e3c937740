import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase

/// The parts of a keychain and how they are connected, from the database up to the desks that ``KeychainService`` hands
/// its calls to. It exists while the service is made; each room keeps only what it needs.
struct KeychainParts {
    private let device: ServedDevice
    private let clock: any DeviceClock
    let enclave: any EnclaveMailbox
    let items: ItemParts
    let programs: ProgramRegistry
    let tools: OwnersTools
    let prompts: PromptRouter
    let authentication: AuthenticationBroker
    let events: EventDesk
    let keyChanges: KeyChanges
    let failures: CallFailures
    let authority: OwnersAuthority
    private let grants: BackupGrants
    let circlePlace = CirclePlace()
    private let entropy: any Entropy

    init(
        kind: String, directory: String, enclave: any EnclaveMailbox, clock: any DeviceClock, entropy: any Entropy,
        toolFile: ToolFile, unprovenOwner: UnprovenOwner
    ) throws(KeychainOpenFailure) {
        let epoch = enclave.keyEpoch
        device = ServedDevice(kind: kind, directory: directory)
        self.clock = clock
        self.enclave = enclave
        self.entropy = entropy
        grants = BackupGrants(clock: clock, entropy: entropy)
        items = try ItemParts(directory: directory + "/keychain", enclave: enclave, clock: clock, entropy: entropy)
        let (store, keys) = (items.store, items.enclaveKeys.sealing.keys)
        let records = CallRecords(directory: directory + "/keychain", clock: clock, enclave: enclave)

        let teams = TeamRegistry(store: store, clock: clock)
        programs = ProgramRegistry(
            teams: teams, apps: AppRegistry(store: store, clock: clock), demands: GroupDemands(store: store),
            enclaveKeys: items.enclaveKeys)
        prompts = PromptRouter(requiredLevel: { teams.requiredLevel })
        authentication = AuthenticationBroker(
            enclave: enclave, desk: prompts, turns: PromptQueue(), teamName: { teams.name(of: $0) })
        let owners = OwnersRegistry(store: store)
        let homes = OwnersHomes(store: store, owners: owners)
        let mover = ItemMover(store: store, vault: items.vault, homes: homes, authentication: authentication)
        tools = OwnersTools(enclave: enclave, toolFile: toolFile, owners: owners, homes: homes, mover: mover)

        events = EventDesk(enclave: enclave, clock: clock)
        store.database.whenItemsChange { [items = events.items] in items.note($0) }
        keyChanges = KeyChanges(
            enclave: enclave, since: epoch,
            followers: [keys, items.itemKeys, items.circle, items.binder, mover, circlePlace],
            events: events)
        let erasure = EraseWatch(
            enclave: enclave, store: store, keys: keyChanges,
            caches: [teams, programs.apps, owners, programs.demands, homes, grants])
        failures = CallFailures(
            records: records, store: store, erasure: erasure, isBehindDaemon: kind != "embedded")
        authority = OwnersAuthority(
            enclave: enclave, unprovenOwner: unprovenOwner, erasure: erasure, failures: failures)
    }
}

/// The desks.
extension KeychainParts {
    func itemDesk() -> ItemDesk {
        let access = OwnersAccess(
            enclave: enclave, store: items.store, demands: programs.demands, erasure: failures.erasure,
            records: failures.records)
        let otherHomes = OtherHomes(
            homes: tools.homes, toolFile: tools.toolFile, isBehindDaemon: failures.isBehindDaemon, clock: clock)
        return ItemDesk(
            callers: ItemCallers(owners: tools.owners, mover: tools.mover, access: access), vault: items.vault,
            finder: items.finder, authentication: authentication,
            outcomes: ItemOutcomes(failures: failures, otherHomes: otherHomes))
    }

    func keyDesk() -> KeyDesk {
        KeyDesk(
            enclaveKeys: items.enclaveKeys, finder: items.finder, authentication: authentication, failures: failures)
    }

    func fileDesk() -> FileDesk {
        FileDesk(enclave: enclave, failures: failures)
    }

    func programDesk() -> ProgramDesk {
        ProgramDesk(registry: programs, authority: authority, failures: failures)
    }

    func personDesk() -> PersonDesk {
        PersonDesk(enclave: enclave, broker: authentication, failures: failures)
    }

    func backupDesks() -> BackupDesks {
        let keybags = BackupKeybags(enclave: enclave, store: items.store)
        let escrows = EscrowRegistry(store: items.store)
        let hosts = HostSessions(
            enclave: enclave, escrows: escrows,
            items: { [store = items.store, entropy] in ItemParts(store: store, enclave: $0, entropy: entropy) })
        return BackupDesks(
            password: BackupPasswordDesk(keybags: keybags, authority: authority, failures: failures),
            grants: BackupGrantDesk(
                keybags: keybags, hosts: hosts, grants: grants, authority: authority, failures: failures),
            content: BackupContentDesk(
                room: BackupRoom(items, enclave: enclave), grants: grants, demands: programs.demands,
                failures: failures),
            escrows: EscrowDesk(
                enclave: enclave, escrows: escrows, grants: grants, authority: authority, failures: failures))
    }

    func deviceDesk() -> DeviceDesk {
        let endings = EndingWatch(enclave: enclave, endings: items.endings)
        let enclaveDesk = EnclaveDesk(
            enclave: enclave, endings: endings, keys: keyChanges, erasure: failures.erasure)
        let report = DeviceReport(
            device: device, enclave: enclaveDesk, store: items.store, programs: programs, records: failures.records)
        let rooms = DeviceRooms(
            report: report, enclave: enclaveDesk, programs: programDesk(),
            owner: OwnersDesk(tools: tools, authority: authority, failures: failures),
            endings: EndingDesk(endings: items.endings, ended: items.ended, failures: failures), backups: backupDesks(),
            sync: SyncDesk(place: circlePlace, authority: authority, failures: failures))
        return DeviceDesk(
            rooms: rooms, owners: tools.owners, authority: authority, records: failures.records)
    }
}

/// The parts that store, find and end items.
struct ItemParts {
    let store: ItemStore
    let itemKeys: ItemKeyPool
    let enclaveKeys: EnclaveKeyVault
    let ended: EndedItems
    let finder: ItemFinder
    let vault: ItemVault
    let endings: ItemEndings
    let binder: RowBinder
    let circle: ItemCircle
    let shared: SharedItems

    /// - Parameter directory: that of the keychain's files.
    init(
        directory: String, enclave: any EnclaveMailbox, clock: any DeviceClock, entropy: any Entropy
    ) throws(KeychainOpenFailure) {
        self.init(store: try ItemStore(directory: directory, clock: clock), enclave: enclave, entropy: entropy)
    }

    /// The parts for another view of the enclave, with caches of their own.
    init(store: ItemStore, enclave: any EnclaveMailbox, entropy: any Entropy) {
        self.store = store
        let keys = ProtectionKeys(enclave: enclave, store: store)
        itemKeys = ItemKeyPool(enclave: enclave)
        let sealing = RowSealing(keys: keys, entropy: entropy)
        enclaveKeys = EnclaveKeyVault(enclave: enclave, sealing: sealing)
        ended = EndedItems(store: store, keys: keys)
        finder = ItemFinder(store: store, enclaveKeys: enclaveKeys, ended: ended)
        let passcodeItems = PasscodeItems(store: store, enclaveKeys: enclaveKeys)
        circle = ItemCircle(enclave: enclave)
        let sealer = ItemSealer(
            store: store, sealing: sealing, circle: circle, itemKeys: itemKeys, passcodeItems: passcodeItems)
        shared = SharedItems(
            store: store, sealing: sealing, enclave: enclave, circle: circle, ended: ended,
            rows: RemoteRows(store: store, sealer: sealer, itemKeys: itemKeys, circle: circle),
            conflicts: ConflictShelf(
                store: store, sealer: sealer, itemKeys: itemKeys, passcodeItems: passcodeItems, enclave: enclave))
        vault = ItemVault(
            store: store, sealer: sealer,
            uniqueRows: UniqueRows(enclaveKeys: enclaveKeys, ended: ended, passcodeItems: passcodeItems),
            enclaveKeys: enclaveKeys, ended: ended)
        endings = ItemEndings(store: store, enclaveKeys: enclaveKeys, passcodeItems: passcodeItems)
        binder = RowBinder(store: store, keys: keys, sealing: sealing)
    }
}
