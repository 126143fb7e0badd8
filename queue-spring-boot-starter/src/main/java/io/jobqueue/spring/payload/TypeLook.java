package io.jobqueue.spring.payload;

import java.lang.annotation.Annotation;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.jobqueue.rule.PayloadRules;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedClassResolver;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.json.JsonMapper;

/**
 * Looks at types before there is anything to read.
 */
final class TypeLook {

	private static final Logger log = LoggerFactory.getLogger(TypeLook.class);

	private final JsonMapper mapper;

	private final Map<Class<?>, Boolean> typeIds = new ConcurrentHashMap<>();

	TypeLook(JsonMapper mapper) {
		this.mapper = mapper;
	}

	/**
	 * Whether objects of a class can be read only with a type id that Jackson writes
	 * beside their properties.
	 */
	boolean needsTypeId(Class<?> type) {
		return this.typeIds.computeIfAbsent(type, this::lookForTypeId);
	}

	private boolean lookForTypeId(Class<?> type) {
		JsonTypeInfo.Value info = this.mapper.serializationConfig()
			.getAnnotationIntrospector()
			.findPolymorphicTypeInfo(this.mapper.serializationConfig(), annotationsOf(type));
		return info != null && info.getIdType() != JsonTypeInfo.Id.NONE && info.getIdType() != JsonTypeInfo.Id.DEDUCTION
				&& info.getInclusionType() != JsonTypeInfo.As.EXISTING_PROPERTY && info.getDefaultImpl() != type;
	}

	private AnnotatedClass annotationsOf(Class<?> type) {
		return AnnotatedClassResolver.resolve(this.mapper.serializationConfig(), this.mapper.constructType(type),
				this.mapper.serializationConfig());
	}

	/**
	 * Whether a generic type holds something that needs a type id, which the class of
	 * such an object does not tell.
	 */
	boolean holdsTypeIds(JavaType type) {
		if (type.isArrayType()) {
			return holdsTypeIds(type.getContentType());
		}
		return type.getBindings()
			.getTypeParameters()
			.stream()
			.anyMatch((parameter) -> needsTypeId(parameter.getRawClass()) || holdsTypeIds(parameter));
	}

	/**
	 * The names that the properties of a class have in JSON.
	 */
	Set<String> propertiesOf(Class<?> type) {
		DeserializationConfig config = this.mapper.deserializationConfig();
		JavaType known = this.mapper.constructType(type);
		BeanDescription description = config.classIntrospectorInstance()
			.introspectForDeserialization(known, AnnotatedClassResolver.resolve(config, known, config));
		return description.findProperties().stream().map(BeanPropertyDefinition::getName).collect(Collectors.toSet());
	}

	/**
	 * Why nothing can be read as a type: because of itself, of its elements, or of the
	 * components of a record.
	 * @param type the type
	 * @return the reason, or empty if none is known
	 */
	Optional<String> problemOf(JavaType type) {
		return problemOf(type, new HashSet<>());
	}

	private Optional<String> problemOf(JavaType type, Set<JavaType> seen) {
		if (!seen.add(type) || hasAnnotationOfJackson(type.getRawClass().getAnnotations(), "JsonDeserialize")) {
			return Optional.empty();
		}
		if (type.isContainerType() || type.isReferenceType()) {
			return problemOf(type.getContentType(), seen);
		}
		Class<?> raw = type.getRawClass();
		if (raw.isPrimitive() || raw.isEnum() || raw.getName().startsWith("java.") && !type.isAbstract()) {
			return Optional.empty();
		}
		if (cannotBeCreated(type)) {
			return Optional.of(raw.isInterface() || type.isAbstract() ? PayloadRules.isAbstract(raw.getTypeName())
					: PayloadRules.hasNoConstructor(raw.getTypeName()));
		}
		if (raw.isRecord()) {
			for (RecordComponent component : raw.getRecordComponents()) {
				if (hasAnnotationOfJackson(component.getAccessor().getAnnotations(), "")
						|| hasAnnotationOfJackson(component.getAnnotations(), "")) {
					// It may say what to create.
					continue;
				}
				Optional<String> problem = problemOf(
						this.mapper.getTypeFactory().resolveMemberType(component.getGenericType(), type.getBindings()),
						seen);
				if (problem.isPresent()) {
					return problem;
				}
			}
		}
		return Optional.empty();
	}

	private static boolean hasAnnotationOfJackson(Annotation[] annotations, String name) {
		return Arrays.stream(annotations)
			.map(Annotation::annotationType)
			.anyMatch((type) -> type.getName().contains(".jackson.") && type.getSimpleName().startsWith(name));
	}

	/**
	 * Asks Jackson itself, which knows all annotations, mixins and modules. What it says
	 * of an empty object's content does not count.
	 */
	private boolean cannotBeCreated(JavaType type) {
		try {
			this.mapper.readValue("{}", type);
			return false;
		}
		catch (InvalidDefinitionException ex) {
			return ex.getType() != null && type.hasRawClass(ex.getType().getRawClass());
		}
		catch (JacksonException ex) {
			return false;
		}
		catch (RuntimeException | LinkageError ex) {
			log.debug("It cannot be told whether {} can be read", type, ex);
			return false;
		}
	}

}
