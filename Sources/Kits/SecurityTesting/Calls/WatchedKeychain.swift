import LatchkeyKeychainMessages

/// The keychain of a device for one app: fails what the test wants to fail, and looks at every call like a reviewer.
struct WatchedKeychain: Keychain {
    let watch: AppWatch

    var identity: ObjectIdentifier { ObjectIdentifier(watch.calls) }

    func perform(_ request: ItemRequest) -> ItemReply {
        watch.perform(request) { watch.keychain.perform($0) }
    }

    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        try watch.keychain.ask(question)
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        try watch.answer(to: question) { () throws(EnclaveKeyRefusal) in try watch.keychain.ask(question) }
    }

    func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
        try watch.keychain.ask(question)
    }

    func watchProtectedData() -> any ProtectedDataWatch {
        watch.keychain.watchProtectedData()
    }

    func watchItems() -> any ItemWatch {
        watch.keychain.watchItems()
    }

    func openSession() -> any AuthenticationSession {
        WatchedSession(watch: watch, session: watch.keychain.openSession())
    }
}
