/// The enrolment of a device, as hashes that change with it.
public final class LADomainState: NSObject {
    /// The state of biometry.
    public let biometry: LADomainStateBiometry
    /// A hash over everything that can authenticate; nil if nothing is enrolled.
    public let stateHash: Data?

    init(biometryType: LABiometryType, stateHash: Data?) {
        biometry = LADomainStateBiometry(biometryType: biometryType, stateHash: stateHash)
        self.stateHash = stateHash
        super.init()
    }
}

/// The enrolment of a device's sensor.
public final class LADomainStateBiometry: NSObject {
    public let biometryType: LABiometryType
    /// Changes with each finger that is enrolled or removed; nil if none is enrolled.
    public let stateHash: Data?

    init(biometryType: LABiometryType, stateHash: Data?) {
        self.biometryType = biometryType
        self.stateHash = stateHash
        super.init()
    }
}
