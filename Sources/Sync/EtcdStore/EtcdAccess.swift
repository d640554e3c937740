package import LatchkeySecretMemory

/// The proofs of this device for the members of a cluster.
package struct EtcdAccess: Sendable {
    package var connection: HTTPAccess
    /// Both or neither.
    package var login: Login?

    package struct Login: Sendable {
        package let user: String
        /// In UTF-8.
        package let password: SecretBox

        package init(user: String, password: SecretBox) {
            self.user = user
            self.password = password
        }
    }

    package init(connection: HTTPAccess = HTTPAccess(), login: Login? = nil) {
        self.connection = connection
        self.login = login
    }
}

/// The times and sizes of a store in etcd.
package struct EtcdOptions: Sendable {
    package var times = HTTPTimes()
    /// The age at which a watch is replaced.
    package var watchSeconds: Double = 600
    /// The time without news after which the heads are looked at, by way of any member.
    package var checkSeconds: Double = 120
    /// The least time between two watches that end at once.
    package var pauseSeconds: Double = 1
    /// The greatest number of conditions and operations of one transaction. A server may be told another one than 128.
    package var operations = 100
    /// The bytes of the values of one transaction; an object that is larger has one of its own.
    package var transactionByteCount = 1 << 20
    /// The entries of one page of a listing.
    package var pageEntries = 2_048

    package init() {}
}
