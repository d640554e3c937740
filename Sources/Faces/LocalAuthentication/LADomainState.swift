/// What is enrolled with a device, as hashes that change whenever it does.
public final class LADomainState: NSObject {
    /// The state of biometry.
    public let biometry: LADomainStateBiometry
    /// Over everything that can authenticate; nil if nothing is enrolled.
    public let stateHash: Data?

    init(biometryType: LABiometryType, stateHash: Data?) {
        biometry = LADomainStateBiometry(biometryType: biometryType, stateHash: stateHash)
        self.stateHash = stateHash
        super.init()
    }
}

/// What is enrolled with the sensor of a device.
public final class LADomainStateBiometry: NSObject {
    public let biometryType: LABiometryType
    /// Another one after each finger that is enrolled or removed; nil if none is enrolled.
    public let stateHash: Data?

    init(biometryType: LABiometryType, stateHash: Data?) {
        self.biometryType = biometryType
        self.stateHash = stateHash
        super.init()
    }
}
