// The codes of the attributes of cryptographic operations.

public let errSecInvalidAlgorithm: OSStatus = -67747
public let errSecInvalidAttributeKey: OSStatus = -67748
public let errSecMissingAttributeKey: OSStatus = -67749
public let errSecInvalidAttributeInitVector: OSStatus = -67750
public let errSecMissingAttributeInitVector: OSStatus = -67751
public let errSecInvalidAttributeSalt: OSStatus = -67752
public let errSecMissingAttributeSalt: OSStatus = -67753
public let errSecInvalidAttributePadding: OSStatus = -67754
public let errSecMissingAttributePadding: OSStatus = -67755
public let errSecInvalidAttributeRandom: OSStatus = -67756
public let errSecMissingAttributeRandom: OSStatus = -67757
public let errSecInvalidAttributeSeed: OSStatus = -67758
public let errSecMissingAttributeSeed: OSStatus = -67759
public let errSecInvalidAttributePassphrase: OSStatus = -67760
public let errSecMissingAttributePassphrase: OSStatus = -67761
public let errSecInvalidAttributeKeyLength: OSStatus = -67762
public let errSecMissingAttributeKeyLength: OSStatus = -67763
public let errSecInvalidAttributeBlockSize: OSStatus = -67764
public let errSecMissingAttributeBlockSize: OSStatus = -67765
public let errSecInvalidAttributeOutputSize: OSStatus = -67766
public let errSecMissingAttributeOutputSize: OSStatus = -67767
public let errSecInvalidAttributeRounds: OSStatus = -67768
public let errSecMissingAttributeRounds: OSStatus = -67769
public let errSecInvalidAlgorithmParms: OSStatus = -67770
public let errSecMissingAlgorithmParms: OSStatus = -67771
public let errSecInvalidAttributeLabel: OSStatus = -67772
public let errSecMissingAttributeLabel: OSStatus = -67773
public let errSecInvalidAttributeKeyType: OSStatus = -67774
public let errSecMissingAttributeKeyType: OSStatus = -67775
public let errSecInvalidAttributeMode: OSStatus = -67776
public let errSecMissingAttributeMode: OSStatus = -67777
public let errSecInvalidAttributeEffectiveBits: OSStatus = -67778
public let errSecMissingAttributeEffectiveBits: OSStatus = -67779
public let errSecInvalidAttributeStartDate: OSStatus = -67780
public let errSecMissingAttributeStartDate: OSStatus = -67781
public let errSecInvalidAttributeEndDate: OSStatus = -67782
public let errSecMissingAttributeEndDate: OSStatus = -67783
public let errSecInvalidAttributeVersion: OSStatus = -67784
public let errSecMissingAttributeVersion: OSStatus = -67785
public let errSecInvalidAttributePrime: OSStatus = -67786
public let errSecMissingAttributePrime: OSStatus = -67787
public let errSecInvalidAttributeBase: OSStatus = -67788
public let errSecMissingAttributeBase: OSStatus = -67789
public let errSecInvalidAttributeSubprime: OSStatus = -67790
public let errSecMissingAttributeSubprime: OSStatus = -67791
public let errSecInvalidAttributeIterationCount: OSStatus = -67792
public let errSecMissingAttributeIterationCount: OSStatus = -67793
public let errSecInvalidAttributeDLDBHandle: OSStatus = -67794
public let errSecMissingAttributeDLDBHandle: OSStatus = -67795
public let errSecInvalidAttributeAccessCredentials: OSStatus = -67796
public let errSecMissingAttributeAccessCredentials: OSStatus = -67797
public let errSecInvalidAttributePublicKeyFormat: OSStatus = -67798
public let errSecMissingAttributePublicKeyFormat: OSStatus = -67799
public let errSecInvalidAttributePrivateKeyFormat: OSStatus = -67800
public let errSecMissingAttributePrivateKeyFormat: OSStatus = -67801
public let errSecInvalidAttributeSymmetricKeyFormat: OSStatus = -67802
public let errSecMissingAttributeSymmetricKeyFormat: OSStatus = -67803
public let errSecInvalidAttributeWrappedKeyFormat: OSStatus = -67804
public let errSecMissingAttributeWrappedKeyFormat: OSStatus = -67805
public let errSecStagedOperationInProgress: OSStatus = -67806
public let errSecStagedOperationNotStarted: OSStatus = -67807
public let errSecQuerySizeUnknown: OSStatus = -67809
public let errSecBlockSizeMismatch: OSStatus = -67810
public let errSecPublicKeyInconsistent: OSStatus = -67811

extension ResultMessage {
    static let attributes: [ResultMessage] = [
        .init("errSecInvalidAlgorithm", errSecInvalidAlgorithm, "The algorithm is not valid."),
        .init("errSecInvalidAttributeKey", errSecInvalidAttributeKey, "The attribute \"key\" is not valid."),
        .init("errSecMissingAttributeKey", errSecMissingAttributeKey, "The attribute \"key\" is missing."),
        .init(
            "errSecInvalidAttributeInitVector", errSecInvalidAttributeInitVector,
            "The attribute \"initialisation vector\" is not valid."),
        .init(
            "errSecMissingAttributeInitVector", errSecMissingAttributeInitVector,
            "The attribute \"initialisation vector\" is missing."),
        .init("errSecInvalidAttributeSalt", errSecInvalidAttributeSalt, "The attribute \"salt\" is not valid."),
        .init("errSecMissingAttributeSalt", errSecMissingAttributeSalt, "The attribute \"salt\" is missing."),
        .init(
            "errSecInvalidAttributePadding", errSecInvalidAttributePadding,
            "The attribute \"padding\" is not valid."),
        .init(
            "errSecMissingAttributePadding", errSecMissingAttributePadding,
            "The attribute \"padding\" is missing."),
        .init("errSecInvalidAttributeRandom", errSecInvalidAttributeRandom, "The attribute \"random\" is not valid."),
        .init("errSecMissingAttributeRandom", errSecMissingAttributeRandom, "The attribute \"random\" is missing."),
        .init("errSecInvalidAttributeSeed", errSecInvalidAttributeSeed, "The attribute \"seed\" is not valid."),
        .init("errSecMissingAttributeSeed", errSecMissingAttributeSeed, "The attribute \"seed\" is missing."),
        .init(
            "errSecInvalidAttributePassphrase", errSecInvalidAttributePassphrase,
            "The attribute \"passphrase\" is not valid."),
        .init(
            "errSecMissingAttributePassphrase", errSecMissingAttributePassphrase,
            "The attribute \"passphrase\" is missing."),
        .init(
            "errSecInvalidAttributeKeyLength", errSecInvalidAttributeKeyLength,
            "The attribute \"key length\" is not valid."),
        .init(
            "errSecMissingAttributeKeyLength", errSecMissingAttributeKeyLength,
            "The attribute \"key length\" is missing."),
        .init(
            "errSecInvalidAttributeBlockSize", errSecInvalidAttributeBlockSize,
            "The attribute \"block size\" is not valid."),
        .init(
            "errSecMissingAttributeBlockSize", errSecMissingAttributeBlockSize,
            "The attribute \"block size\" is missing."),
        .init(
            "errSecInvalidAttributeOutputSize", errSecInvalidAttributeOutputSize,
            "The attribute \"output size\" is not valid."),
        .init(
            "errSecMissingAttributeOutputSize", errSecMissingAttributeOutputSize,
            "The attribute \"output size\" is missing."),
        .init("errSecInvalidAttributeRounds", errSecInvalidAttributeRounds, "The attribute \"rounds\" is not valid."),
        .init("errSecMissingAttributeRounds", errSecMissingAttributeRounds, "The attribute \"rounds\" is missing."),
        .init("errSecInvalidAlgorithmParms", errSecInvalidAlgorithmParms, "The algorithm parameters are not valid."),
        .init("errSecMissingAlgorithmParms", errSecMissingAlgorithmParms, "The algorithm parameters are missing."),
        .init("errSecInvalidAttributeLabel", errSecInvalidAttributeLabel, "The attribute \"label\" is not valid."),
        .init("errSecMissingAttributeLabel", errSecMissingAttributeLabel, "The attribute \"label\" is missing."),
        .init(
            "errSecInvalidAttributeKeyType", errSecInvalidAttributeKeyType,
            "The attribute \"key type\" is not valid."),
        .init(
            "errSecMissingAttributeKeyType", errSecMissingAttributeKeyType,
            "The attribute \"key type\" is missing."),
        .init("errSecInvalidAttributeMode", errSecInvalidAttributeMode, "The attribute \"mode\" is not valid."),
        .init("errSecMissingAttributeMode", errSecMissingAttributeMode, "The attribute \"mode\" is missing."),
        .init(
            "errSecInvalidAttributeEffectiveBits", errSecInvalidAttributeEffectiveBits,
            "The attribute \"effective bits\" is not valid."),
        .init(
            "errSecMissingAttributeEffectiveBits", errSecMissingAttributeEffectiveBits,
            "The attribute \"effective bits\" is missing."),
        .init(
            "errSecInvalidAttributeStartDate", errSecInvalidAttributeStartDate,
            "The attribute \"start date\" is not valid."),
        .init(
            "errSecMissingAttributeStartDate", errSecMissingAttributeStartDate,
            "The attribute \"start date\" is missing."),
        .init(
            "errSecInvalidAttributeEndDate", errSecInvalidAttributeEndDate,
            "The attribute \"end date\" is not valid."),
        .init(
            "errSecMissingAttributeEndDate", errSecMissingAttributeEndDate,
            "The attribute \"end date\" is missing."),
        .init(
            "errSecInvalidAttributeVersion", errSecInvalidAttributeVersion,
            "The attribute \"version\" is not valid."),
        .init(
            "errSecMissingAttributeVersion", errSecMissingAttributeVersion,
            "The attribute \"version\" is missing."),
        .init("errSecInvalidAttributePrime", errSecInvalidAttributePrime, "The attribute \"prime\" is not valid."),
        .init("errSecMissingAttributePrime", errSecMissingAttributePrime, "The attribute \"prime\" is missing."),
        .init("errSecInvalidAttributeBase", errSecInvalidAttributeBase, "The attribute \"base\" is not valid."),
        .init("errSecMissingAttributeBase", errSecMissingAttributeBase, "The attribute \"base\" is missing."),
        .init(
            "errSecInvalidAttributeSubprime", errSecInvalidAttributeSubprime,
            "The attribute \"subprime\" is not valid."),
        .init(
            "errSecMissingAttributeSubprime", errSecMissingAttributeSubprime,
            "The attribute \"subprime\" is missing."),
        .init(
            "errSecInvalidAttributeIterationCount", errSecInvalidAttributeIterationCount,
            "The attribute \"iteration count\" is not valid."),
        .init(
            "errSecMissingAttributeIterationCount", errSecMissingAttributeIterationCount,
            "The attribute \"iteration count\" is missing."),
        .init(
            "errSecInvalidAttributeDLDBHandle", errSecInvalidAttributeDLDBHandle,
            "The attribute \"DL/DB handle\" is not valid."),
        .init(
            "errSecMissingAttributeDLDBHandle", errSecMissingAttributeDLDBHandle,
            "The attribute \"DL/DB handle\" is missing."),
        .init(
            "errSecInvalidAttributeAccessCredentials", errSecInvalidAttributeAccessCredentials,
            "The attribute \"access credentials\" is not valid."),
        .init(
            "errSecMissingAttributeAccessCredentials", errSecMissingAttributeAccessCredentials,
            "The attribute \"access credentials\" is missing."),
        .init(
            "errSecInvalidAttributePublicKeyFormat", errSecInvalidAttributePublicKeyFormat,
            "The attribute \"public key format\" is not valid."),
        .init(
            "errSecMissingAttributePublicKeyFormat", errSecMissingAttributePublicKeyFormat,
            "The attribute \"public key format\" is missing."),
        .init(
            "errSecInvalidAttributePrivateKeyFormat", errSecInvalidAttributePrivateKeyFormat,
            "The attribute \"private key format\" is not valid."),
        .init(
            "errSecMissingAttributePrivateKeyFormat", errSecMissingAttributePrivateKeyFormat,
            "The attribute \"private key format\" is missing."),
        .init(
            "errSecInvalidAttributeSymmetricKeyFormat", errSecInvalidAttributeSymmetricKeyFormat,
            "The attribute \"symmetric key format\" is not valid."),
        .init(
            "errSecMissingAttributeSymmetricKeyFormat", errSecMissingAttributeSymmetricKeyFormat,
            "The attribute \"symmetric key format\" is missing."),
        .init(
            "errSecInvalidAttributeWrappedKeyFormat", errSecInvalidAttributeWrappedKeyFormat,
            "The attribute \"wrapped key format\" is not valid."),
        .init(
            "errSecMissingAttributeWrappedKeyFormat", errSecMissingAttributeWrappedKeyFormat,
            "The attribute \"wrapped key format\" is missing."),
        .init(
            "errSecStagedOperationInProgress", errSecStagedOperationInProgress,
            "An operation in steps is in progress."),
        .init(
            "errSecStagedOperationNotStarted", errSecStagedOperationNotStarted,
            "The operation in steps was not started."),
        .init("errSecQuerySizeUnknown", errSecQuerySizeUnknown, "The size of the result is not known."),
        .init("errSecBlockSizeMismatch", errSecBlockSizeMismatch, "The length is not a multiple of the block size."),
        .init("errSecPublicKeyInconsistent", errSecPublicKeyInconsistent, "The public key contradicts itself."),
    ]
}
